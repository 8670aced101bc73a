"""Buyers, some at a time, for fixtures/foreign/charges.py: buyers.py N. They call the address in IDEMCHECK_PROXY."""
import http.client, json, os, sys, threading, uuid
from urllib.parse import urlsplit

at = urlsplit(os.environ["IDEMCHECK_PROXY"])
wrong = []


def buy(who, times):
    shop = http.client.HTTPConnection(at.hostname, at.port, timeout=30)
    for n in range(times):
        order = f"order-{who}-{n}"
        shop.request("POST", "/charges", json.dumps({"order": order, "amount": 100 + n}),
                     {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())})
        answer = shop.getresponse()
        charge = json.loads(answer.read())
        if answer.status != 201 or charge["order"] != order:
            wrong.append((answer.status, charge))


threads = [threading.Thread(target=buy, args=(who, int(sys.argv[1]))) for who in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
sys.exit(f"answers that are wrong: {wrong[:3]}" if wrong else 0)
