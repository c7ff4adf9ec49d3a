/** Existing signatures stay valid only while these texts keep their bytes. */
import { expect, test } from 'vitest';
import { signingText } from './signing-text.ts';

const KINDS = {
  decision: 'ambit.gate-decision.v1',
  info: 'ambit.gate-info.v1',
  runDecision: 'ambit.run-decision.v1',
  evidence: 'ambit.evidence-read.v1',
  lift: 'ambit.kill-switch-lift.v1',
  label: 'ambit.run-label.v1',
  fork: 'ambit.fork.v1',
  grant: 'ambit.standing-grant.v1',
  revocation: 'ambit.grant-revocation.v1',
  erasure: 'ambit.erasure.v1',
  look: 'ambit.look.v1',
} as const satisfies Record<keyof typeof signingText, string>;

test.each(Object.entries(KINDS))('%s signs canonical JSON below the line %s', (kind, line) => {
  const text = signingText[kind as keyof typeof KINDS];
  expect(text({ signed_at: 2, key_id: 'key_1' } as never)).toBe(`${line}\n{"key_id":"key_1","signed_at":2}`);
});
