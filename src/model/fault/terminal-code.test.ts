import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDocument } from '../../../test/documents/examples.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { DecisionRecord } from '../critic/decision-record.ts';
import { parse } from '../json/parse.ts';
import { PROPOSAL_KINDS, Proposal } from '../plan/proposal.ts';
import { TERMINAL_CODE_TABLE, TERMINAL_CODES, TerminalCode } from './terminal-code.ts';

verifies('terminate:codes:closed-set-of-seventeen', 'has seventeen codes, each described, and accepts no other', () => {
  expect(new Set(TERMINAL_CODES).size).toBe(17);
  expect(Object.keys(TERMINAL_CODE_TABLE)).toEqual([...TERMINAL_CODES]);
  for (const { classification, trigger, action } of Object.values(TERMINAL_CODE_TABLE)) {
    expect(classification).toMatch(/^[a-z ]+$/);
    expect(trigger).toMatch(/^[A-Z].*\.$/);
    expect(action).toMatch(/^[A-Z].*\.$/);
  }
  const record = readDocument('decision-record');
  for (const code of ['DONE', 'success', '', null, ['SUCCESS', 'TIMEOUT'], 'toString']) {
    expect(() => parse(TerminalCode, code, 'terminal_code_unknown')).toThrow();
    expect(() => parse(DecisionRecord, { ...record, terminal_code: code }, 'terminal_code_unknown')).toThrow(
      expect.objectContaining({ code: 'terminal_code_unknown', path: '/terminal_code' }),
    );
  }
  expect(PROPOSAL_KINDS).not.toContain('stop');
  for (const word of [
    { kind: 'stop', code: 'SUCCESS' },
    { kind: 'next_step', step_id: 's1', terminal_code: 'SUCCESS' },
  ]) {
    expect(() => parse(Proposal, word, 'proposal_outside_boundary')).toThrow(
      expect.objectContaining({ code: 'proposal_outside_boundary' }),
    );
  }
});

test('docs/reference/terminal-codes.md matches the table', () => {
  const page = readFileSync(new URL('../../../docs/reference/terminal-codes.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)].map(
    ([, code, classification, trigger, action]) => [code, { classification, trigger, action }],
  );
  const texts = Object.entries(TERMINAL_CODE_TABLE).map(([code, { classification, trigger, action }]) => [
    code,
    { classification, trigger, action },
  ]);
  expect(rows).toEqual(texts);
});
