"""The longer editions, one file each: what did a program say as of its date?"""
