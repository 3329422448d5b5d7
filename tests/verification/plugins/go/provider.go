package main

import (
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// configureProvider offers protocols 5 and 6, from which go-plugin chooses.
func configureProvider(config *plugin.ServeConfig) {
	config.HandshakeConfig = plugin.HandshakeConfig{
		MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
		MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
	}
	config.VersionedPlugins = map[int]plugin.PluginSet{}
	for version, names := range map[int][]string{
		5: {"GetSchema", "PrepareProviderConfig", "ValidateResourceTypeConfig", "Configure"},
		6: {"GetProviderSchema", "ValidateProviderConfig", "ValidateResourceConfig", "ConfigureProvider"},
	} {
		if version == 6 && fault == "protocol-5" {
			continue
		}
		methods := []grpc.MethodDesc{
			unary(names[0], getSchema), unary(names[1], accept), unary(names[2], accept), unary(names[3], accept),
			unary("UpgradeResourceState", upgradeState), unary("ReadResource", readServer),
			unary("PlanResourceChange", planServer), unary("ApplyResourceChange", applyServer),
		}
		provider := describe(fmt.Sprintf("tfplugin%d.Provider", version), methods)
		config.VersionedPlugins[version] = plugin.PluginSet{"provider": provider}
	}
}

func getSchema(*message) (interface{}, error) {
	addressType := `"string"`
	switch fault {
	case "crash":
		os.Exit(3)
	case "panic":
		panic("no such server")
	case "hangs":
		time.Sleep(time.Hour)
	case "bad-schema":
		addressType = `"string`
	case "diagnostic":
		return &schemaResponse{Diagnostics: []*diagnostic{{Severity: 1, Summary: "No schema", Detail: "The file is gone."}}}, nil
	}
	server := &block{
		Attributes: []*attribute{
			{Name: "address", Type: []byte(addressType), Description: "The address.", Required: true},
			{Name: "id", Type: []byte(`"string"`), Computed: true},
			{Name: "labels", Type: []byte(`["map","string"]`), Optional: true},
			{Name: "token", Type: []byte(`"string"`), Optional: true, Sensitive: true},
		},
		Blocks: []*nestedBlock{{Name: "disk", Nesting: 3, Block: &block{
			Attributes: []*attribute{{Name: "fast", Type: []byte(`"bool"`), Optional: true}},
		}}},
	}
	return &schemaResponse{
		Provider:  &schema{Block: &block{}},
		Resources: map[string]*schema{"example_server": {Version: 2, Block: server}},
	}, nil
}
