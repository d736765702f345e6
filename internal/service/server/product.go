package server

import (
	"context"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

func (s *Server) listProducts(c *requestContext) error {
	offers, err := s.store.Offers(c.r.Context(), c.Provider)
	if err != nil {
		return err
	}
	all := make([]api.Product, 0, len(offers))
	for _, p := range offers {
		all = append(all, api.Product{ID: api.Int(p.ID), Name: p.Name, Code: p.Code, Active: api.Flag(p.Active), Can: p.Can.Names(),
			Instructions: api.LenientText(p.Instructions), HelpURL: api.LenientText(p.HelpURL)})
	}
	return sendShortList(c, all, func(l api.List[api.Product]) any {
		return api.ProductsResponse{Products: l, Response: api.ResponseSuccess, Message: api.ResponseSuccess}
	}, api.ResponseSuccess)
}

func (s *Server) listStatuses(c *requestContext) error {
	return sendShortList(c, api.Statuses(), func(l api.List[api.Status]) any {
		return api.StatusesResponse{Statuses: l, Response: api.ResponseSuccess}
	}, "")
}

func (s *Server) listInternetSpeeds(c *requestContext) error {
	speeds, err := s.store.InternetSpeeds(c.r.Context())
	if err != nil {
		return err
	}
	all := make([]api.InternetSpeed, 0, len(speeds))
	for _, v := range speeds {
		all = append(all, api.InternetSpeed{ID: api.Int(v.ID), Speed: v.Speed, Slug: v.Slug})
	}
	return sendShortList(c, all, func(l api.List[api.InternetSpeed]) any {
		return api.InternetSpeedsResponse{InternetSpeeds: l, Response: api.ResponseSuccess}
	}, "")
}

// catalogue holds all products by ID, because a service may have a product that the provider no
// longer sells.
type catalogue map[int]domain.Product

func (s *Server) catalogue(ctx context.Context) (catalogue, error) {
	products, err := s.store.Products(ctx)
	return catalogueOf(products), err
}

func catalogueOf(products []domain.Product) catalogue {
	byID := make(catalogue, len(products))
	for _, p := range products {
		byID[p.ID] = p
	}
	return byID
}

func (c catalogue) service(s *domain.Service) api.Service {
	p := c[s.ProductID]
	return api.Service{
		TokenCreatedAt: api.At(s.CreatedAt), ProductName: p.Name, ProductCode: p.Code, ProductID: api.Int(s.ProductID),
		StatusUpdatedAt: api.At(s.UpdatedAt), StatusID: api.Int(s.Status), Status: s.Status.String(),
	}
}

// fill converts a subscriber into into and reuses its memory.
func (c catalogue) fill(into *api.Subscriber, s *domain.SubscriberServices) {
	services := into.Services[:0]
	for i := range s.Services {
		services = append(services, c.service(&s.Services[i]))
	}
	*into = api.Subscriber{
		Name: s.Name, Email: s.Email, Document: string(s.Document), Phone: s.Phone,
		InternetSpeedID: api.Int(s.SpeedID), CustomerPlan: s.Plan, CreatedAt: api.At(s.CreatedAt), Services: services,
	}
}

// SubscriberOf returns a subscriber as the API writes it, with the names of the products.
func SubscriberOf(s *domain.SubscriberServices, products []domain.Product) api.Subscriber {
	return catalogueOf(products).subscriber(s)
}

func (c catalogue) subscriber(s *domain.SubscriberServices) (out api.Subscriber) {
	c.fill(&out, s)
	return out
}
