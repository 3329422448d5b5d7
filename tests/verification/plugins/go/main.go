// A plugin built with HashiCorp's go-plugin: EXAMPLE_KIND selects a Terraform provider or a Nomad task driver,
// EXAMPLE_FAULT a fault. Faults of calls are in provider.go, server.go, and driver.go.
package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

var fault = os.Getenv("EXAMPLE_FAULT")

// service makes a gRPC service a plugin.
type service struct {
	plugin.NetRPCUnsupportedPlugin
	grpc.ServiceDesc
}

func (s *service) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	if fault != "no-service" {
		server.RegisterService(&s.ServiceDesc, nil)
	}
	return nil
}

func (*service) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (interface{}, error) {
	return nil, nil
}

func describe(name string, methods []grpc.MethodDesc, streams ...grpc.StreamDesc) *service {
	description := grpc.ServiceDesc{ServiceName: name, HandlerType: (*interface{})(nil), Methods: methods, Streams: streams}
	return &service{ServiceDesc: description}
}

// unary returns a method with one request and one response.
func unary[Request any](name string, respond func(*Request) (interface{}, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(
		_ interface{}, _ context.Context, decode func(interface{}) error, _ grpc.UnaryServerInterceptor,
	) (interface{}, error) {
		request := new(Request)
		if err := decode(request); err != nil {
			return nil, err
		}
		return respond(request)
	}}
}

func main() {
	config := &plugin.ServeConfig{GRPCServer: plugin.DefaultGRPCServer}
	if os.Getenv("EXAMPLE_KIND") == "provider" {
		configureProvider(config)
	} else {
		configureDriver(config)
	}
	switch fault {
	case "other-cookie":
		config.MagicCookieValue = "another"
	case "no-cookie":
		os.Setenv(config.MagicCookieKey, config.MagicCookieValue)
	case "other-protocol":
		for _, plugins := range config.VersionedPlugins {
			config.VersionedPlugins = map[int]plugin.PluginSet{4: plugins}
			break
		}
	case "net-rpc":
		config.GRPCServer = nil
	case "exits":
		os.Exit(7)
	case "no-handshake":
		time.Sleep(time.Hour)
	case "text-before-handshake":
		fmt.Println("Example plugin, starting")
	case "plain":
		os.Unsetenv("PLUGIN_CLIENT_CERT")
	case "plain-with-certificate":
		os.Unsetenv("PLUGIN_CLIENT_CERT")
		replaceCertificate(createCertificate())
	case "other-certificate":
		replaceCertificate(createCertificate())
	case "no-certificate":
		replaceCertificate(make([]byte, 60))
	}
	plugin.Serve(config)
}

// replaceCertificate replaces the certificate in the handshake, which go-plugin prints.
func replaceCertificate(certificate []byte) {
	stdout := os.Stdout
	reader, writer, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	os.Stdout = writer
	go func() {
		line, _ := bufio.NewReader(reader).ReadString('\n')
		fields := strings.Split(strings.TrimSpace(line), "|")
		fields[5] = base64.RawStdEncoding.EncodeToString(certificate)
		fmt.Fprintln(stdout, strings.Join(fields, "|"))
	}()
}

// createCertificate returns a valid certificate and discards its private key.
func createCertificate() []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return certificate
}
