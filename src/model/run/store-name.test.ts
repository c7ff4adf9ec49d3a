import { expect, test } from 'vitest';
import { parseStore } from './store-name.ts';

test.each([
  ['memory', { kind: 'memory' }],
  ['sqlite:ambit.db', { kind: 'sqlite', file: 'ambit.db', writer: 'inline' }],
  ['sqlite:/var/lib/runs and all.db', { kind: 'sqlite', file: '/var/lib/runs and all.db', writer: 'inline' }],
  ['sqlite:ambit.db?writer=thread', { kind: 'sqlite', file: 'ambit.db', writer: 'thread' }],
  [
    'sqlite:ambit.db?anchor_key=store.key.json',
    { kind: 'sqlite', file: 'ambit.db', writer: 'inline', anchorKey: 'store.key.json' },
  ],
  [
    'sqlite:ambit.db?writer=thread&anchor_key=a/b.json',
    { kind: 'sqlite', file: 'ambit.db', writer: 'thread', anchorKey: 'a/b.json' },
  ],
])('parses %s', (store, place) => {
  expect(parseStore(store)).toEqual(place);
});

test.each([
  '',
  'sqlite:',
  'sqlite:?writer=thread',
  'postgres:x',
  'memory?writer=thread',
  'sqlite:ambit.db?',
  'sqlite:ambit.db?writer=inline',
  'sqlite:ambit.db?writer=thread&mode=ro',
  'sqlite:ambit.db?x?writer=thread',
  'sqlite:ambit.db?anchor_key=',
  'sqlite:ambit.db?anchor_key=a&anchor_key=b',
  'sqlite:ambit.db?writer=thread&writer=thread',
])('rejects %j and lists the valid forms', (store) => {
  const message = `store "${store}": use "memory", "sqlite:<file>" or "sqlite:<file>?writer=thread&anchor_key=<key file>"`;
  expect(() => parseStore(store)).toThrow(expect.objectContaining({ code: 'input_invalid', path: '/store', message }));
});
