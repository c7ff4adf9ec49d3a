/** The reach of untrusted values into sensitive arguments, and the calls that need approval because of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { APPROVAL_MODES, runsInline } from '../gate/approval-mode.ts';
import { type CallOrigin, CLEAN, isGrantable, isUntrusted, needsProvenanceGate, untrustedReach } from './origin.ts';

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

  test('reaches every argument of a call that is not inline, if its tool declares no sensitive arguments', () => {
    for (const mode of APPROVAL_MODES) {
      expect(untrustedReach({}, mode, from('/to')) === null).toBe(runsInline(mode));
      expect(untrustedReach({ hazards: { rollback: 'none' } }, mode, from('/to')) === null).toBe(runsInline(mode));
    }
  });
});

test('a call without untrusted origin needs no gate', () => {
  for (const mode of APPROVAL_MODES) expect(needsProvenanceGate({}, mode, CLEAN)).toBe(false);
  expect(isUntrusted(CLEAN)).toBe(false);
});

test('a call chosen by a tainted model needs a gate unless it is read_only', () => {
  const origin = { ...CLEAN, tainted: true };
  expect(APPROVAL_MODES.filter((mode) => !needsProvenanceGate({ hazards: { sensitive: [] } }, mode, origin))).toEqual([
    'read_only',
  ]);
});

test('a request can grant network and delegated calls, but not destructive ones', () => {
  expect(APPROVAL_MODES.filter(isGrantable)).toEqual(['network', 'delegated']);
});

test('adding an untrusted value never removes the need for a gate', () => {
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
        if (needsProvenanceGate(spec, mode, less))
          expect(needsProvenanceGate(spec, mode, { ...from(...some, more), tainted })).toBe(true);
      },
    ),
  );
});
