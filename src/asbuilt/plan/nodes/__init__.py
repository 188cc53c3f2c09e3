"""What a node must show when it is asked: hardware, traits, the lock of versions."""
