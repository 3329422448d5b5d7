"""How is a plugin of HashiCorp's products spoken to? The handshake that all share, then gRPC. Nothing of Django."""
