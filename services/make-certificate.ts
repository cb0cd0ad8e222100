// To be imported where it is needed, once in a home's life: it loads half a second's worth of modules.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

/** A key and a self-signed certificate, in PEM. It never expires, since it is not renewed. */
export async function makeCertificate(name: string): Promise<{ key: string; certificate: string }> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: `CN=${name}`,
    // Whatever this machine's clock says now.
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('9999-12-31T23:59:59Z'),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  });
  return {
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `${certificate.toString('pem')}\n`,
  };
}
