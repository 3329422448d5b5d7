package main

import (
	"os"

	"github.com/hashicorp/go-msgpack/codec"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	driverType = 2
	deviceType = 3
	unhealthy  = 1
	healthy    = 2
)

type driverConfig struct {
	Address string `codec:"address"`
	Retries int    `codec:"retries"`
}

func configureDriver(config *plugin.ServeConfig) {
	config.HandshakeConfig = plugin.HandshakeConfig{
		ProtocolVersion:  1,
		MagicCookieKey:   "NOMAD_PLUGIN_MAGIC_COOKIE",
		MagicCookieValue: "e4327c2e01eabfd75a8a67adb114fb34a757d57eee7728d857a8cec6e91a7255",
	}
	base := describe("hashicorp.nomad.plugins.base.proto.BasePlugin", []grpc.MethodDesc{
		unary("PluginInfo", getInfo), unary("ConfigSchema", getConfigSchema), unary("SetConfig", setConfig),
	})
	driver := describe("hashicorp.nomad.plugins.drivers.proto.Driver", []grpc.MethodDesc{
		unary("TaskConfigSchema", getTaskSchema), unary("Capabilities", getCapabilities),
	}, grpc.StreamDesc{StreamName: "Fingerprint", ServerStreams: true, Handler: streamFingerprint})
	plugins := plugin.PluginSet{"base": base, "driver": driver}
	config.VersionedPlugins = map[int]plugin.PluginSet{1: plugins}
}

func getInfo(*message) (interface{}, error) {
	info := &pluginInfo{Type: driverType, APIVersions: []string{"v0.1.0"}, Version: "v1.0.0", Name: "example"}
	switch fault {
	case "other-type":
		info.Type = deviceType
	case "no-api":
		info.APIVersions = nil
	case "other-version":
		info.Version = "v0.9.0"
	}
	return info, nil
}

func getConfigSchema(*message) (interface{}, error) {
	address := &hclAttr{Name: "address", Type: "string", Required: true}
	if fault == "bad-schema" {
		address.Type = "strnig"
	}
	retries := &spec{Attr: &hclAttr{Name: "retries", Type: "number"}}
	return &specResponse{Spec: &spec{Object: &object{Attributes: map[string]*spec{
		"address": {Attr: address},
		"retries": {Default: &fallback{Primary: retries, Default: &spec{Literal: &literal{Value: "3"}}}},
	}}}}, nil
}

func setConfig(request *setConfigRequest) (interface{}, error) {
	var config driverConfig
	handle := &codec.MsgpackHandle{RawToString: true}
	err := codec.NewDecoderBytes(request.Config, handle).Decode(&config)
	switch {
	case fault == "crash":
		os.Exit(3)
	case fault == "accepts-anything":
		return &message{}, nil
	case err != nil:
		return nil, status.Errorf(codes.Unknown, "failed to decode the configuration: %v", err)
	case config != driverConfig{Address: "127.0.0.1:9999", Retries: 3}:
		return nil, status.Errorf(codes.InvalidArgument, "unexpected configuration: %+v", config)
	}
	return &message{}, nil
}

func getTaskSchema(*message) (interface{}, error) {
	command := &spec{Attr: &hclAttr{Name: "command", Type: "list(string)"}}
	return &specResponse{Spec: &spec{Object: &object{Attributes: map[string]*spec{"command": command}}}}, nil
}

func getCapabilities(*message) (interface{}, error) {
	return &capabilitiesResponse{Capabilities: &capabilities{SendSignals: true, Exec: true}}, nil
}

// streamFingerprint sends one fingerprint and keeps the stream open, as a driver without changes does.
func streamFingerprint(_ interface{}, stream grpc.ServerStream) error {
	if err := stream.RecvMsg(&message{}); err != nil {
		return err
	}
	if fault == "hangs" {
		select {} // ignores even the client's deadline
	}
	first := &fingerprint{Health: healthy}
	if fault == "unhealthy" {
		first.Health = unhealthy
	}
	if err := stream.SendMsg(first); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}
