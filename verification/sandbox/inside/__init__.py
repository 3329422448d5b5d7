"""What happens inside a room? The first process: builds it, starts programs in it, watches them, ends with them all."""
