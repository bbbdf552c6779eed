"""HTTP/1.1 that is malformed, odd or dangerous: the answers, and nothing else is answered on the connection."""

import socket

import pytest

from tests.apps.serve.test_limits import answer_to
from tests.fuzz.http_cases import BODY, CASES
from tests.support.service import Service


@pytest.mark.parametrize("name", CASES)
def test_malformed_requests(service: Service, name: str) -> None:
    data, statuses = CASES[name]
    found = service.raw(data) if 431 not in statuses else answer_to(service, data)
    assert [int(part[:3]) for part in found.split(b"HTTP/1.1 ")[1:]] == statuses
    assert b"tagfield_requests_total" not in found  # what looks like a request in a body


def test_a_connection_that_ends_early_harms_no_other(service: Service) -> None:
    whole = CASES["a request"][0]
    for size in range(0, len(whole), 7):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall(whole[:size])
    assert service.post("/v1/tag", BODY)[0] == 200
