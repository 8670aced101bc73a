"""Guests of bookings.py: what a day of them looks like. They call the address in IDEMCHECK_PROXY."""
import http.client, json, os, random, sys
from urllib.parse import urlsplit

at = urlsplit(os.environ["IDEMCHECK_PROXY"])
host = http.client.HTTPConnection(at.hostname, at.port, timeout=30)
draw = random.Random(7)


def call(method, path, body=None):
    headers = {"Content-Type": "application/json"} if body is not None else {}
    host.request(method, path, None if body is None else json.dumps(body), headers)
    answer = host.getresponse()
    text = answer.read()
    return answer.status, json.loads(text or b"null"), answer.getheader("Location")


for n in range(int(sys.argv[1])):
    guest = f"guest-{draw.randrange(40)}"
    call("POST", "/login", {"user": guest})
    call("PUT", f"/guests/{guest}", {"email": f"{guest}@mail.example"})
    call("POST", "/search", {"from": "2026-12-01", "to": f"2026-12-{draw.randrange(2, 28):02}"})
    status, booking, place = call("POST", "/bookings", {"room": draw.randrange(1, 4), "guest": guest})
    assert status == 201 and booking["guest"] == guest, booking
    assert call("GET", place)[1]["guest"] == guest
    call("POST", f"/guests/{guest}/points", {"points": draw.randrange(1, 9)})
    if draw.randrange(3) == 0:
        assert call("DELETE", place)[0] == 204
