"""Plugins that Ansible loads by file name from this folder."""
