"""Looking into files, and writing them anew: as functions, and for the command line."""
