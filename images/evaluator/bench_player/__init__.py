"""The player's end of the referee's questions and games; part of the submission's process."""
