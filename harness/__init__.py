"""slidebench.harness"""
