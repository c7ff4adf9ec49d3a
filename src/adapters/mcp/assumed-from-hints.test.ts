/** Tests how a server's hints become an approval mode. Hints of an untrusted server can only make it stricter. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { APPROVAL_MODES, type ApprovalMode, compareModes } from '../../model/gate/approval-mode.ts';
import { importedSpec } from '../../model/tool/imported-tool.ts';
import { assumedFromHints } from './from-mcp.ts';

const TRUSTED = { trusted: true, usualMode: undefined };
const UNTRUSTED = { trusted: false, usualMode: undefined };

describe('the hints of a trusted server', () => {
  test.for<readonly [object | undefined, ApprovalMode]>([
    [undefined, 'destructive'],
    [{}, 'destructive'],
    [{ title: 'Reads, honestly' }, 'destructive'],
    [{ idempotentHint: true, openWorldHint: false }, 'destructive'],
    [{ readOnlyHint: true, openWorldHint: false }, 'read_only'],
    [{ readOnlyHint: true, openWorldHint: true }, 'network'],
    [{ readOnlyHint: true }, 'network'],
    [{ readOnlyHint: true, destructiveHint: true, openWorldHint: false }, 'destructive'],
    [{ readOnlyHint: false }, 'destructive'],
    [{ readOnlyHint: false, destructiveHint: true, openWorldHint: false }, 'destructive'],
    [{ readOnlyHint: false, destructiveHint: false, openWorldHint: false }, 'local_write'],
    [{ readOnlyHint: false, destructiveHint: false }, 'network'],
    [{ destructiveHint: false, openWorldHint: false }, 'local_write'],
  ])('%j is %s', ([hints, mode]) => {
    expect(assumedFromHints(hints, TRUSTED).approval_mode).toBe(mode);
  });

  test('tell whether a call may be repeated and whether it is external', () => {
    const kind = (hints: object): string => assumedFromHints(hints, TRUSTED).idempotency.kind;
    expect(kind({ idempotentHint: true })).toBe('natural');
    expect(kind({ readOnlyHint: true })).toBe('natural');
    expect(kind({})).toBe('none');
    expect(assumedFromHints({ openWorldHint: false }, TRUSTED).external).toBe(false);
    expect(assumedFromHints({}, TRUSTED).external).toBe(true);
  });
});

const hints = fc.record(
  {
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    idempotentHint: fc.boolean(),
    openWorldHint: fc.boolean(),
  },
  { requiredKeys: [] },
);

test('hints of an untrusted server never loosen anything', () => {
  fc.assert(
    fc.property(hints, fc.option(fc.constantFrom(...APPROVAL_MODES), { nil: undefined }), (declared, usualMode) => {
      const without = assumedFromHints(undefined, { trusted: false, usualMode });
      const assumed = assumedFromHints(declared, { trusted: false, usualMode });
      expect(compareModes(assumed.approval_mode, without.approval_mode)).toBeGreaterThanOrEqual(0);
      expect({ ...assumed, approval_mode: null }).toEqual({ ...without, approval_mode: null });
    }),
  );
});

test('an untrusted tool without a label is destructive, needs approval and is not retried', () => {
  const offer = { name: 's.t', version: '1', description: 't', input_schema: {}, output_schema: {}, source: 'mcp:s' };
  expect(importedSpec(offer, assumedFromHints({ readOnlyHint: true, openWorldHint: false }, UNTRUSTED))).toMatchObject({
    approval_mode: 'destructive',
    side_effect: true,
    external: true,
    trusted: false,
    gates: ['GATE_MODE_APPROVAL'],
    idempotency: { kind: 'none' },
    retries_max: 0,
  });
});

test("hints start from the user's default for the server, and the label of a single tool overrides them", () => {
  const usually = { trusted: false, usualMode: 'read_only' } as const;
  expect(assumedFromHints({}, usually).approval_mode).toBe('read_only');
  expect(assumedFromHints({ destructiveHint: true }, usually).approval_mode).toBe('destructive');
  const offer = { name: 's.t', version: '1', description: 't', input_schema: {}, output_schema: {}, source: 'mcp:s' };
  const assumed = assumedFromHints({ destructiveHint: true }, usually);
  expect(importedSpec(offer, assumed, { approval_mode: 'local_write' })).toMatchObject({
    approval_mode: 'local_write',
    side_effect: true,
    gates: [],
  });
});
