"""A booking service as somebody might write it: no keys, no thought about repeats.

POST /bookings {room, guest}        a new booking, 201 with its Location
GET  /bookings/ID
POST /search {from, to}             rooms that are free, and how long it took
PUT  /guests/NAME {email}           replaces
POST /guests/NAME/points {points}   adds, and tells the sum
DELETE /bookings/ID                 204, then 404
POST /login {user}                  a session
"""
import json, random, sys, threading, time, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

bookings, guests, points, lock = {}, {}, {}, threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", 65536  # an answer leaves in one piece

    def log_message(self, *args):
        pass

    def answer(self, status, value=None, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("X-Request-Id", str(uuid.uuid4()))
        for name, text in headers.items():
            self.send_header(name, text)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")

    def do_GET(self):
        booking = bookings.get(self.path.rpartition("/")[2])
        self.answer(*((200, booking) if booking else (404, {"error": "no such booking"})))

    def do_PUT(self):
        name = self.path.rpartition("/")[2]
        with lock:
            guests[name] = self.body()
        self.answer(200, {"name": name, **guests[name], "seen_at": time.time()})

    def do_DELETE(self):
        self.body()
        with lock:
            gone = bookings.pop(self.path.rpartition("/")[2], None)
        self.answer(204) if gone else self.answer(404, {"error": "no such booking"})

    def do_POST(self):
        begin, sent = time.monotonic(), self.body()
        if self.path == "/bookings":
            booking = {"id": uuid.uuid4().hex[:12], "created_at": time.time(), **sent}
            with lock:
                bookings[booking["id"]] = booking
            self.answer(201, booking, Location="/bookings/" + booking["id"])
        elif self.path == "/search":
            rooms = [{"room": n, "price": 90 + n} for n in range(1, 4)]
            self.answer(200, {"rooms": rooms, "took_ms": (time.monotonic() - begin) * 1000, "query": random.getrandbits(60)})
        elif self.path == "/login":
            self.answer(200, {"session": uuid.uuid4().hex})
        else:
            name = self.path.split("/")[2]
            with lock:
                points[name] = points.get(name, 0) + sent["points"]
                total = points[name]
            self.answer(200, {"name": name, "points": total})


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
