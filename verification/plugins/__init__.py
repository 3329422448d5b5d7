"""Client for plugins of HashiCorp's products: the shared handshake, then gRPC. No Django here."""
