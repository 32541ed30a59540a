"""Holds the version of this package and of the JAR. sbt and the Makefile read this file, too."""

__version__ = "0.1.0"
