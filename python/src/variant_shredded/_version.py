"""The version of the JAR and of this package; sbt and the Makefile read it here too."""

__version__ = "0.1.0"
