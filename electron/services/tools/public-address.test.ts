import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('takes %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.0.1', '203.0.113.9'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:10.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe'],
    ...['::127.0.0.1', '64:ff9b:1::1', '2001::1', 'fec0::1', '100::1', '', 'localhost', '127.1', '0x7f.0.0.1'],
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('says of an IPv4 address in IPv6 clothes what it says of the address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublicAddress(address));
      }),
    );
  });
});
