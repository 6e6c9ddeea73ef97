import { expect, it } from 'vitest';
import { publicHost } from './public-host.ts';

it.each([
  ['https://api.openai.com/v1', 'api.openai.com'],
  ['smtps://user:secret@Mail.Example.ORG:465', 'mail.example.org'],
  ['https://key:secret@eu.example.com./v1?key=secret', 'eu.example.com'],
])('the host of %s is %s, without anything else of the address', (address, host) => {
  expect(publicHost(address)).toBe(host);
});

it.each([
  'http://localhost:1',
  'http://127.0.0.1:9/v1',
  'http://[::1]/',
  'http://10.1.2.3/',
  'http://192.168.0.9/',
  'http://203.0.113.7/',
  'http://2130706433/',
  'http://minio:9000',
  'http://vllm.internal/v1',
  'http://model.svc.cluster.local',
  'http://nas.home.arpa',
  'not an address',
])('%s names no public host', (address) => {
  expect(publicHost(address)).toBeUndefined();
});
