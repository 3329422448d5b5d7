package main

// message makes a struct a protobuf message. Its struct tags are those that protoc-gen-go writes for the published
// protocols; Debian has no generator that works with each of its releases of gRPC.
type message struct{}

func (*message) Reset()         {}
func (*message) String() string { return "" }
func (*message) ProtoMessage()  {}

// Messages of Terraform.

type schemaResponse struct {
	message
	Provider    *schema            `protobuf:"bytes,1,opt,name=provider,proto3"`
	Resources   map[string]*schema `protobuf:"bytes,2,rep,name=resource_schemas,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
	Diagnostics []*diagnostic      `protobuf:"bytes,4,rep,name=diagnostics,proto3"`
}

type schema struct {
	message
	Version int64  `protobuf:"varint,1,opt,name=version,proto3"`
	Block   *block `protobuf:"bytes,2,opt,name=block,proto3"`
}

type block struct {
	message
	Attributes []*attribute   `protobuf:"bytes,2,rep,name=attributes,proto3"`
	Blocks     []*nestedBlock `protobuf:"bytes,3,rep,name=block_types,proto3"`
}

type nestedBlock struct {
	message
	Name    string `protobuf:"bytes,1,opt,name=type_name,proto3"`
	Block   *block `protobuf:"bytes,2,opt,name=block,proto3"`
	Nesting int32  `protobuf:"varint,3,opt,name=nesting,proto3"`
}

type attribute struct {
	message
	Name        string `protobuf:"bytes,1,opt,name=name,proto3"`
	Type        []byte `protobuf:"bytes,2,opt,name=type,proto3"`
	Description string `protobuf:"bytes,3,opt,name=description,proto3"`
	Required    bool   `protobuf:"varint,4,opt,name=required,proto3"`
	Optional    bool   `protobuf:"varint,5,opt,name=optional,proto3"`
	Computed    bool   `protobuf:"varint,6,opt,name=computed,proto3"`
	Sensitive   bool   `protobuf:"varint,7,opt,name=sensitive,proto3"`
}

type diagnostic struct {
	message
	Severity int32  `protobuf:"varint,1,opt,name=severity,proto3"`
	Summary  string `protobuf:"bytes,2,opt,name=summary,proto3"`
	Detail   string `protobuf:"bytes,3,opt,name=detail,proto3"`
}

// dynamicValue embeds nothing, like each message that is decoded: version 1.3 of the protobuf library requires that.
type dynamicValue struct {
	Msgpack []byte `protobuf:"bytes,1,opt,name=msgpack,proto3"`
	JSON    []byte `protobuf:"bytes,2,opt,name=json,proto3"`
}

func (*dynamicValue) Reset()         {}
func (*dynamicValue) String() string { return "" }
func (*dynamicValue) ProtoMessage()  {}

// upgradeRequest has the state in raw_state, whose first field is JSON instead of MessagePack.
type upgradeRequest struct {
	State *dynamicValue `protobuf:"bytes,3,opt,name=raw_state,proto3"`
}

func (*upgradeRequest) Reset()         {}
func (*upgradeRequest) String() string { return "" }
func (*upgradeRequest) ProtoMessage()  {}

// stateRequest is a request to read, plan, or apply.
type stateRequest struct {
	Prior   *dynamicValue `protobuf:"bytes,2,opt,name=prior_state,proto3"`
	Planned *dynamicValue `protobuf:"bytes,3,opt,name=planned_state,proto3"`
}

func (*stateRequest) Reset()         {}
func (*stateRequest) String() string { return "" }
func (*stateRequest) ProtoMessage()  {}

// stateResponse is the response to an upgradeRequest or a stateRequest. Only an apply returns diagnostics.
type stateResponse struct {
	message
	State       *dynamicValue `protobuf:"bytes,1,opt,name=new_state,proto3"`
	Diagnostics []*diagnostic `protobuf:"bytes,3,rep,name=diagnostics,proto3"`
}

// Messages of Nomad.

type pluginInfo struct {
	message
	Type        int32    `protobuf:"varint,1,opt,name=type,proto3"`
	APIVersions []string `protobuf:"bytes,2,rep,name=plugin_api_versions,proto3"`
	Version     string   `protobuf:"bytes,3,opt,name=plugin_version,proto3"`
	Name        string   `protobuf:"bytes,4,opt,name=name,proto3"`
}

type specResponse struct {
	message
	Spec *spec `protobuf:"bytes,1,opt,name=spec,proto3"`
}

type spec struct {
	message
	Object  *object   `protobuf:"bytes,1,opt,name=object,proto3"`
	Attr    *hclAttr  `protobuf:"bytes,3,opt,name=Attr,proto3"`
	Default *fallback `protobuf:"bytes,9,opt,name=default,proto3"`
	Literal *literal  `protobuf:"bytes,10,opt,name=literal,proto3"`
}

type object struct {
	message
	Attributes map[string]*spec `protobuf:"bytes,1,rep,name=attributes,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
}

type hclAttr struct {
	message
	Name     string `protobuf:"bytes,1,opt,name=name,proto3"`
	Type     string `protobuf:"bytes,2,opt,name=type,proto3"`
	Required bool   `protobuf:"varint,3,opt,name=required,proto3"`
}

type fallback struct {
	message
	Primary *spec `protobuf:"bytes,1,opt,name=primary,proto3"`
	Default *spec `protobuf:"bytes,2,opt,name=default,proto3"`
}

type literal struct {
	message
	Value string `protobuf:"bytes,1,opt,name=value,proto3"`
}

// setConfigRequest embeds nothing, for the same reason as dynamicValue.
type setConfigRequest struct {
	Config     []byte `protobuf:"bytes,1,opt,name=msgpack_config,proto3"`
	APIVersion string `protobuf:"bytes,3,opt,name=plugin_api_version,proto3"`
}

func (*setConfigRequest) Reset()         {}
func (*setConfigRequest) String() string { return "" }
func (*setConfigRequest) ProtoMessage()  {}

type capabilitiesResponse struct {
	message
	Capabilities *capabilities `protobuf:"bytes,1,opt,name=capabilities,proto3"`
}

type capabilities struct {
	message
	SendSignals bool `protobuf:"varint,1,opt,name=send_signals,proto3"`
	Exec        bool `protobuf:"varint,2,opt,name=exec,proto3"`
}

type fingerprint struct {
	message
	Health      int32  `protobuf:"varint,2,opt,name=health,proto3"`
	Description string `protobuf:"bytes,3,opt,name=health_description,proto3"`
}
