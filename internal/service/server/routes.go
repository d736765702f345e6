package server

import (
	"net/http"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

type route struct {
	method string
	path   string // as in documentation and log
	handle func(*requestContext) error

	open       bool          // needs no bearer token
	scope      domain.Scopes // scope that the bearer token needs, unless the route is open
	orScope    domain.Scopes // also suffices here; the handler decides when it knows the operation
	body       int64         // limit of the body in bytes; 0: the body is not read
	idempotent bool          // honours Idempotency-Key
	dryRun     bool          // changes nothing
	html       bool          // errors are pages for people, not problems
}

// allRoutes returns every route. Each is served without and with [api.Prefix].
func (s *Server) allRoutes() []route {
	const small, batch, large = api.MaxBodyBytes, api.MaxBatchBytes, api.MaxImportBytes
	const mayRead, mayManage, mayProvision, mayImport, mayCancel, mayTokens = domain.ScopeRead, domain.ScopeManage,
		domain.ScopeProvision, domain.ScopeImport, domain.ScopeCancel, domain.ScopeTokens
	get, post, put, del := http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	all := []route{
		{method: post, path: api.PathAuthenticate, handle: s.authenticate, open: true, body: small},

		{method: get, path: api.PathSubscribers, handle: s.listSubscribers, scope: mayRead},
		{method: post, path: api.PathSubscribers, handle: withBody(s.createSubscriber), scope: mayManage, body: small, idempotent: true},
		{method: get, path: api.PathSubscriber, handle: s.getSubscriber, scope: mayRead},
		{method: put, path: api.PathSubscriber, handle: withBody(s.updateSubscriber), scope: mayManage, body: small, idempotent: true},
		{method: del, path: api.PathSubscriber, handle: s.deleteSubscriber, scope: mayCancel, idempotent: true},
		{method: get, path: api.PathSearch, handle: s.searchSubscribers, scope: mayRead},
		{method: get, path: api.PathInternetSpeeds, handle: s.listInternetSpeeds, scope: mayRead},
		{method: get, path: api.PathHistory, handle: s.history, scope: mayRead},
		{method: get, path: api.PathDeliveries, handle: s.deliveries, scope: mayRead},
		{method: post, path: api.PathImport, handle: withBody(s.importSubscribers), scope: mayImport, body: large, idempotent: true},
		{method: post, path: api.PathImportValidate, handle: withBody(s.importSubscribers), scope: mayRead, body: large, dryRun: true},
		{method: post, path: api.PathResend, handle: withBody(s.resend), scope: mayManage, body: small, idempotent: true},
		{method: post, path: api.PathResendProduct, handle: withBody(s.resendProduct), scope: mayManage, body: small, idempotent: true},

		{method: post, path: api.PathActivate, handle: s.batch(domain.RequestActivate), scope: mayProvision, body: batch, idempotent: true},
		{method: post, path: api.PathSuspend, handle: s.batch(domain.RequestSuspend), scope: mayProvision, body: batch, idempotent: true},
		{method: post, path: api.PathDeactivate, handle: s.batch(domain.RequestDeactivate), scope: mayCancel, body: batch, idempotent: true},
		{method: post, path: api.PathOverdue, handle: s.batch(domain.RequestOverdue), scope: mayProvision, body: batch, idempotent: true},
		{method: post, path: api.PathSettle, handle: s.batch(domain.RequestSettle), scope: mayProvision, body: batch, idempotent: true},
		{method: post, path: api.PathChange, handle: withBody(s.changeProduct), scope: mayProvision, body: small, idempotent: true},
		{method: get, path: api.PathSchedule, handle: s.listSchedules, scope: mayRead},
		{method: post, path: api.PathSchedule, handle: withBody(s.schedule), scope: mayProvision, orScope: mayCancel, body: batch, idempotent: true},
		{method: post, path: api.PathScheduleValidate, handle: withBody(s.schedule), scope: mayRead, body: batch, dryRun: true},
		{method: del, path: api.PathScheduleID, handle: s.cancelSchedule, scope: mayProvision, orScope: mayCancel, idempotent: true},
		{method: post, path: api.PathProvisionValidate, handle: s.validateOperation, scope: mayRead, body: batch, dryRun: true},
		{method: post, path: api.PathChangeValidate, handle: withBody(s.changeProduct), scope: mayRead, body: small, dryRun: true},

		{method: get, path: api.PathProducts, handle: s.listProducts, scope: mayRead},
		{method: get, path: api.PathStatuses, handle: s.listStatuses, scope: mayRead},
		{method: get, path: api.PathEvents, handle: s.events, scope: mayRead},
		{method: get, path: api.PathUsage, handle: s.reportUsage, scope: mayRead},

		{method: get, path: api.PathTokens, handle: s.listTokens, scope: mayTokens},
		{method: post, path: api.PathTokens, handle: withBody(s.createToken), scope: mayTokens, body: small},
		{method: post, path: api.PathTokenRotate, handle: s.rotateToken, scope: mayTokens, body: small},
		{method: del, path: api.PathToken, handle: s.revokeToken, scope: mayTokens},

		{method: post, path: api.PathPartnerEvents, handle: s.partnerEvent, open: true, body: small},
		{method: get, path: api.PathLink, handle: s.viewLink, open: true, html: true},
		{method: post, path: api.PathLink, handle: s.followLink, open: true, html: true},

		{method: get, path: api.PathOpenAPI, handle: s.openAPI, open: true},
		{method: get, path: api.PathDocs, handle: s.docs, open: true},
		{method: get, path: api.PathLive, handle: s.live, open: true},
		{method: get, path: api.PathReady, handle: s.ready, open: true},
	}
	if s.o.PublicMetrics {
		all = append(all, route{method: get, path: api.PathMetrics, handle: s.writeMetrics, open: true})
	}
	return all
}
