# SPDX-License-Identifier: Apache-2.0
"""Certificates for tests: signed by themselves or by an authority, of any names and dates."""
import base64
import datetime
import hashlib
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def names_of(names):
    def one(name):
        try:
            return x509.IPAddress(ipaddress.ip_address(name))
        except ValueError:
            return x509.DNSName(name)

    return x509.SubjectAlternativeName([one(n) for n in names])


class Certificate:
    """@days: from when to when, counted from now."""

    def __init__(self, folder, name, names=("127.0.0.1", "localhost"), days=(-1, 30), authority=None, is_authority=False):
        self.key_object = ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        public = self.key_object.public_key()
        made = x509.CertificateBuilder().subject_name(self.subject).public_key(public) \
            .issuer_name((authority or self).subject).serial_number(x509.random_serial_number()) \
            .not_valid_before(now + datetime.timedelta(days=days[0])) \
            .not_valid_after(now + datetime.timedelta(days=days[1])) \
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        if names and not is_authority:
            made = made.add_extension(names_of(names), critical=False)
        signed = made.sign((authority or self).key_object, hashes.SHA256())
        self.file, self.key = folder / f"{name}.crt", folder / f"{name}.key"
        self.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        self.key.write_bytes(self.key_object.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                                           serialization.NoEncryption()))
        self.key.chmod(0o600)
        self.fingerprint = signed.fingerprint(hashes.SHA256()).hex(":").upper()
        key = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.key_pin = "sha256//" + base64.b64encode(hashlib.sha256(key).digest()).decode()
