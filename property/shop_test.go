package property_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/inject"
)

// shop takes orders over HTTP and charges each once, if it is sound.
type shop struct {
	mu      sync.Mutex
	charged map[string]string
	charge  func(order string)
	racy    bool // it looks before it charges, and holds nothing meanwhile
	blind   bool // it does not look
}

func newShop(charge func(string)) *shop { return &shop{charged: map[string]string{}, charge: charge} }

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	order := strings.TrimPrefix(r.URL.Path, "/orders/")
	if s.racy || s.blind {
		s.unheld(w, order)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.charged[order] == "" {
		s.charge(order)
		s.charged[order] = "ch-" + order
	}
	fmt.Fprint(w, s.charged[order])
}

func (s *shop) unheld(w http.ResponseWriter, order string) {
	s.mu.Lock()
	known := s.charged[order]
	s.mu.Unlock()
	if known == "" || s.blind {
		s.charge(order)
		s.mu.Lock()
		s.charged[order] = "ch-" + order
		s.mu.Unlock()
	}
	fmt.Fprint(w, "ch-"+order)
}

// pay sends an order until it is answered.
func pay(client *http.Client, id string) error {
	for range 5 {
		resp, err := client.Post("http://shop/orders/"+id, "", nil)
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errors.New("never answered")
}

// everything that can strike an order.
var everything = inject.Options{Say: "Order ${id} was charged", Faults: []inject.Fault{
	inject.Repeat, inject.Overlap, inject.Late, inject.LoseAnswer, inject.LoseRequest,
	inject.ReplaceAnswer, inject.KillBefore,
}}
