"""What stands where: every device in its rack unit, every rack and CDU on the floor."""
