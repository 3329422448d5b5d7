"""Does a plugin of Nomad do what Nomad needs of it? Played as Nomad plays it; nothing of Django."""
