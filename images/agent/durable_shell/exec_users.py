"""Which user an exec runs as."""

from __future__ import annotations

import grp
import os
import pwd
from dataclasses import dataclass

from .settings import Settings

_LARGEST_ID = 2**31 - 1


class NoSuchUser(Exception):
    """Its text is for the caller."""


@dataclass(frozen=True)
class User:
    uid: int
    gid: int
    groups: tuple[int, ...]
    # HOME, USER and LOGNAME, where they are not the agent's.
    environment: dict[str, str]


def find(wanted: str | None, settings: Settings) -> User | None:
    """`name`, `uid`, `name:group` or `uid:gid`; None wanted: the agent. None found: our own user,
    there is no other here. Raises NoSuchUser.
    """
    agent = None if settings.uid is None else User(settings.uid, settings.uid, (), {})
    own = os.getuid() if settings.uid is None else settings.uid
    if wanted is None or wanted in ("agent", str(own)):
        return agent
    if not settings.has_other_users:
        raise NoSuchUser(f"user {wanted}: on this backend programs run as the agent only")
    name, colon, group = wanted.partition(":")
    found = _user(name)
    return User(found.uid, _group(group), (), found.environment) if colon else found


def _user(name: str) -> User:
    try:
        entry = pwd.getpwuid(_number(name)) if name.isdecimal() else pwd.getpwnam(name)
    except KeyError:
        if name.isdecimal():
            return User(_number(name), _number(name), (), {"HOME": "/"})
        raise NoSuchUser(f"user {name}: there is none of this name in the container") from None
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    return User(
        entry.pw_uid,
        entry.pw_gid,
        tuple(groups),
        {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name},
    )


def _group(name: str) -> int:
    try:
        return _number(name) if name.isdecimal() else grp.getgrnam(name).gr_gid
    except KeyError:
        raise NoSuchUser(f"group {name}: there is none of this name in the container") from None


def _number(text: str) -> int:
    number = int(text)
    if number > _LARGEST_ID:
        raise NoSuchUser(f"user {text}: no user has such a number")
    return number
