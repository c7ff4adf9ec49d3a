/** Which untrusted values reach something sensitive, and when a person has to see a call. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { APPROVAL_MODES, runsInline } from './approval-mode.ts';
import { type CallOrigin, CLEAN, demandsGate, isGrantable, isUntrusted, untrustedReach } from './origin.ts';

const from = (...pointers: readonly string[]): CallOrigin => ({
  tainted: false,
  untrusted: Object.fromEntries(pointers.map((pointer) => [pointer, 'mail'])),
  grant: null,
});

describe('an untrusted value', () => {
  test.each([
    ['at a sensitive argument', ['/to'], '/to', true],
    ['within one', ['/to'], '/to/0/address', true],
    ['around one', ['/to/0'], '/to', true],
    ['that is all of the arguments', ['/to'], '', true],
    ['beside one', ['/to'], '/text', false],
    ['at one whose name merely begins alike', ['/to'], '/topic', false],
    ['where nothing is sensitive', [], '/to', false],
  ])('%s', (_, sensitive, pointer, reaches) => {
    for (const mode of APPROVAL_MODES) {
      expect(untrustedReach({ hazards: { sensitive } }, mode, from(pointer))).toBe(reaches ? pointer : null);
    }
  });

  test('reaches every argument of a call that is not inline, where its tool says nothing', () => {
    for (const mode of APPROVAL_MODES) {
      expect(untrustedReach({}, mode, from('/to')) === null).toBe(runsInline(mode));
      expect(untrustedReach({ hazards: { rollback: 'none' } }, mode, from('/to')) === null).toBe(runsInline(mode));
    }
  });
});

test('a call that nobody outside had a hand in demands nothing', () => {
  for (const mode of APPROVAL_MODES) expect(demandsGate({}, mode, CLEAN)).toBe(false);
  expect(isUntrusted(CLEAN)).toBe(false);
});

test('what a tainted model chose is seen by a person as soon as it changes anything', () => {
  const origin = { ...CLEAN, tainted: true };
  expect(APPROVAL_MODES.filter((mode) => !demandsGate({ hazards: { sensitive: [] } }, mode, origin))).toEqual([
    'read_only',
  ]);
});

test('what destroys is granted by nobody’s mere asking, and what runs inline needs no grant', () => {
  expect(APPROVAL_MODES.filter(isGrantable)).toEqual(['network', 'delegated']);
});

test('more that is untrusted never makes a call freer', () => {
  const pointer = fc.constantFrom('', '/a', '/a/b', '/a/0', '/c');
  fc.assert(
    fc.property(
      fc.array(pointer),
      pointer,
      fc.option(fc.array(pointer), { nil: undefined }),
      fc.constantFrom(...APPROVAL_MODES),
      fc.boolean(),
      (some, more, sensitive, mode, tainted) => {
        const spec = sensitive === undefined ? {} : { hazards: { sensitive } };
        const less = { ...from(...some), tainted };
        if (demandsGate(spec, mode, less))
          expect(demandsGate(spec, mode, { ...from(...some, more), tainted })).toBe(true);
      },
    ),
  );
});
