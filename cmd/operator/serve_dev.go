package operator

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"ativa/internal/cli"
	"ativa/internal/credentials"
	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/settings"
)

// The names that `serve --dev` and `demo` use.
const (
	devContext  = "dev"
	devProvider = "Provedor Demo"
)

// DevProducts returns the products of the demo's provider: two families of two products.
func DevProducts() []domain.Product {
	return []domain.Product{
		{ID: 1, Code: "play-basic", Name: "Play Básico", Family: "play"},
		{ID: 2, Code: "play-premium", Name: "Play Premium", Family: "play"},
		{ID: 3, Code: "musica", Name: "Música Mais", Family: "musica"},
		{ID: 4, Code: "musica-familia", Name: "Música Família", Family: "musica"},
	}
}

// CreateDemoData creates the demo's partner, products and provider, and returns an access token.
// If a provider exists, it creates nothing and returns "".
func CreateDemoData(ctx context.Context, service *Parts, limit int, delay time.Duration) (string, error) {
	providers, err := service.Store.Providers(ctx)
	if err != nil || len(providers) > 0 {
		return "", err
	}
	const name = "parceiro-simulado"
	partner, err := service.Registry.CreatePartner(ctx, domain.Partner{Name: name, Driver: domain.DriverSimulator, Delay: delay})
	if domain.IsCode(err, domain.NameTaken) { // an earlier start was stopped here
		var all []domain.Partner
		all, err = service.Store.Partners(ctx)
		partner = all[slices.IndexFunc(all, func(p domain.Partner) bool { return p.Name == name })]
	}
	if err != nil {
		return "", err
	}
	for _, p := range DevProducts() {
		p.Active, p.Can, p.Partner = true, domain.CanAll, partner.ID
		if err := service.Registry.CreateProduct(ctx, p); err != nil && !domain.IsCode(err, domain.NameTaken) {
			return "", err
		}
	}
	_, token, err := service.Registry.CreateProvider(ctx, domain.Provider{Name: devProvider, Limit: limit, AllProducts: true})
	return token, err
}

// checkDev refuses a database of other providers, whose e-mails a trial would write into its
// directory.
func checkDev(ctx context.Context, db *store.DB) error {
	all, err := db.Providers(ctx)
	if len(all) > 0 && !slices.ContainsFunc(all, func(p domain.Provider) bool { return p.Name == devProvider }) {
		return cli.Usage("--dev needs a database of its own, but that of --db has other providers").WithHint("leave --db out, or name a new database")
	}
	return err
}

// prepareDev fills a new database and stores the access token in the context "dev", in a file that
// only the user can read. The token is valid only for this database.
func prepareDev(ctx context.Context, e *cli.Env, s *Service, o ServeOptions) error {
	token, err := CreateDemoData(ctx, s.Parts, 1000, 2*time.Second)
	if err != nil {
		return err
	}
	if token == "" { // created by an earlier run; the context may have changed
		if token, err = devToken(ctx, s.Parts); err != nil {
			return err
		}
	}
	config, err := e.ConfigDir()
	if err != nil {
		return err
	}
	stored := credentials.FileStorage{Dir: filepath.Join(config, "tokens")}
	if err := stored.Save(ctx, credentials.Account{Server: s.URL, Context: devContext}, token); err != nil {
		return err
	}
	try, err := UseDevContext(e, s.URL)
	if err != nil {
		return err
	}
	mail := "sent by the mail server"
	if o.MailDir != "" {
		if mail, err = filepath.Abs(o.MailDir); err != nil {
			return err
		}
	}
	e.Notice("provider %q, products play-basic, play-premium, musica, musica-familia; simulated partner", devProvider)
	e.Notice("e-mails: %s", mail)
	e.Notice("in another terminal: %s", try)
	return nil
}

// devToken returns a new secret of the demo provider's token or, if that is revoked, a new
// token.
func devToken(ctx context.Context, service *Parts) (string, error) {
	by, err := service.Tokens.Operator(ctx, devProvider)
	if err != nil {
		return "", err
	}
	_, secret, err := service.Tokens.RotateToken(ctx, by, accounts.DefaultTokenName, accounts.DefaultGrace)
	if refused, ok := errors.AsType[*domain.Error](err); ok && refused.Code == domain.AccessTokenEnded {
		_, secret, err = service.Tokens.CreateToken(ctx, by, domain.AccessToken{Name: devContext + service.Rules.Now().Format(" 20060102 150405.000"), Scopes: domain.AllScopes})
	}
	return secret, err
}

// UseDevContext points the context "dev" at the server, and makes it the default if there is none.
// It returns a command that reaches exactly this server from the current environment.
func UseDevContext(e *cli.Env, url string) (string, error) {
	s, err := e.LoadSettings()
	if err != nil {
		return "", err
	}
	err = s.Edit(func() error {
		return s.Put(settings.Context{Name: devContext, Server: url, Storage: credentials.StorageFile}, s.Context == "")
	})
	try, server := "ativa products", e.Getenv("ATIVA_SERVER")
	elsewhere := server != "" && !settings.SameServer(server, url)
	if elsewhere || cmp.Or(e.Getenv("ATIVA_CONTEXT"), s.Context) != devContext {
		try += " --context " + devContext
	}
	if elsewhere {
		try += " --server " + url
	}
	return try, err
}
