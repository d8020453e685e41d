print("runcast")
