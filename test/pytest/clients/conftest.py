from collections.abc import Iterator

import pytest
from scripted_server import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as one:
        yield one
