"""Trainers' own interfaces, one file each, which imports its trainer; nothing else here does."""
