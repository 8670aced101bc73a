package main

import (
	"cmp"
	"context"
	"strings"
)

// dealings are what callers do.
var dealings = []struct {
	name   string
	weight int
	do     func(c *caller, ctx context.Context)
}{
	{"customer", 2, (*caller).register},
	{"charge", 8, (*caller).charge},
	{"charge", 1, (*caller).mistake},
	{"transfer", 4, (*caller).transfer},
	{"receipt", 2, (*caller).receipt},
	{"raise", 2, (*caller).raise},
	{"checkout", 2, (*caller).checkout},
	{"credit", 3, (*caller).credit},
	{"subscription", 2, (*caller).subscribe},
	{"mandate", 2, (*caller).mandate},
	{"look", 4, (*caller).look},
}

type fields map[string]any

func (c *caller) register(ctx context.Context) {
	name := c.id("jane")
	r := c.send(ctx, "POST", "/customers", c.key(), fields{"name": name, "email": name + "@shop.example"})
	c.want(r, "name", name)
	c.customer = cmp.Or(r.field("id"), c.customer)
}

// charge charges a new order, and looks at it as often as not. Some cost
// nothing, some carry a long note.
func (c *caller) charge(ctx context.Context) {
	if c.customer == "" {
		c.register(ctx)
	}
	order := c.id("A")
	body := fields{"order": order, "amount": 100 + c.random.IntN(900), "currency": "EUR", "customer": c.customer}
	switch c.random.IntN(12) {
	case 0:
		body["amount"] = 0
	case 1:
		body["note"] = strings.Repeat("please ring twice; ", 1000)
	case 2, 3:
		body["note"] = "a gift"
	}
	r := c.send(ctx, "POST", "/charges", c.key(), body)
	c.want(r, "order", order)
	switch place := r.header.Get("Location"); {
	case place != "" && c.random.IntN(2) == 0:
		c.want(c.send(ctx, "GET", place, "", nil), "order", order)
	case c.random.IntN(3) == 0:
		c.send(ctx, "GET", "/charges?order="+order, "", nil)
	}
}

// mistake sends a charge that is refused.
func (c *caller) mistake(ctx context.Context) {
	body := fields{"order": c.id("M"), "amount": 5, "currency": "EUR", "customer": "cu_unknown"}
	if c.random.IntN(2) == 0 {
		body["amount"] = "much"
	}
	c.send(ctx, "POST", "/charges", c.key(), body)
}

func (c *caller) transfer(ctx context.Context) {
	c.send(ctx, "POST", "/transfers", c.key(), fields{"from": "savings", "to": c.account, "amount": c.random.IntN(40)})
}

func (c *caller) receipt(ctx context.Context) {
	c.send(ctx, "POST", "/receipts", c.key(), fields{"order": c.id("R")})
}

func (c *caller) raise(ctx context.Context) {
	reference := c.id("L")
	c.want(c.send(ctx, "PATCH", "/limit", c.key(), fields{"reference": reference, "by": 1 + c.random.IntN(50)}), "reference", reference)
}

// checkout pays an order in the browser, and the provider tells of it as often as not.
func (c *caller) checkout(ctx context.Context) {
	order := c.id("C")
	c.want(c.send(ctx, "POST", "/checkouts", "", fields{"order": order, "amount": 4900, "currency": "EUR"}), "order", order)
	if c.random.IntN(2) == 0 {
		c.send(ctx, "POST", "/webhooks/checkout", "", fields{"event": c.id("evt"), "order": order, "amount": 4900, "currency": "EUR"})
	}
}

func (c *caller) credit(ctx context.Context) {
	c.send(ctx, "POST", "/webhooks/credits", "", fields{"event": c.id("evt"), "account": c.account, "amount": 1 + c.random.IntN(200), "sent_at": c.n})
}

func (c *caller) subscribe(ctx context.Context) {
	name := c.id("sub")
	for i, status := range []string{"active", "paused", "cancelled"} {
		c.send(ctx, "POST", "/webhooks/subscriptions", "", fields{"event": c.id("evt") + status, "subscription": name, "status": status, "version": i + 1})
	}
}

func (c *caller) mandate(ctx context.Context) {
	name := c.id("rent")
	r := c.send(ctx, "PUT", "/mandates/"+name, "", fields{"account": c.account, "limit": 10 * (1 + c.random.IntN(90))})
	c.want(r, "name", name)
	c.send(ctx, "GET", "/mandates/"+name, "", nil)
	if c.random.IntN(2) == 0 {
		c.send(ctx, "DELETE", "/mandates/"+name+"?reference="+name, c.key(), nil)
	}
}

func (c *caller) look(ctx context.Context) {
	if c.customer != "" {
		c.send(ctx, "GET", "/customers/"+c.customer, "", nil)
	}
}
