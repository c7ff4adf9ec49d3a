/** A decision catalogue in a YAML file: faults name the line, plans bind the decisions, and records name them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decisionsFrom } from '../../../src/adapters/node/decision-file.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const CATALOGUE = `decisions:
  # Money leaves the house here.
  - decision_id: support.refund.execute
    description: Whether a refund is paid
    evidence: [order]
    approvals: [GATE_FINANCE]
    controls: [four_eyes]
    evaluators: [evidence@1]
    accept_threshold: 0.9
    risk_class: high
    actions: [pay]
  - decision_id: support.note
`;

function writeCatalogue(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-decisions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'decisions.yaml');
  writeFileSync(path, text);
  return path;
}

test('reads every decision and fills omitted fields with the strictest defaults', () => {
  expect(decisionsFrom(writeCatalogue(CATALOGUE))).toMatchObject([
    { decision_id: 'support.refund.execute', evidence: ['order'], accept_threshold: 0.9, actions: ['pay'] },
    { decision_id: 'support.note', version: '1', risk_class: 'high', accept_threshold: 0.8, approvals: [] },
  ]);
});

test.each([
  ['a threshold above one', CATALOGUE.replace('0.9', '1.9'), /decisions\.yaml:9:23: .*accept_threshold/],
  [
    'an unknown risk class',
    CATALOGUE.replace('risk_class: high', 'risk_class: hgih'),
    /decisions\.yaml:10:17: .*risk_class/,
  ],
  [
    'an unknown field',
    CATALOGUE.replace('controls', 'control'),
    /decisions\.yaml:7:\d+: there is no field "control"; there are decision_id, .*controls/,
  ],
  ['a bare list', '- decision_id: a\n', /decisions\.yaml:1:1: .* under the word decisions:$/],
  ['a tab', 'decisions:\n\t- decision_id: a\n', /decisions\.yaml:2:1: Tabs are not allowed as indentation$/],
  [
    'a duplicate id',
    `${CATALOGUE}  - decision_id: support.note\n`,
    /decisions\.yaml:13:18: support\.note is declared twice/,
  ],
  ['plain text', 'just words', /decisions\.yaml:1:1: /],
])('reports %s with its line', (_what, text, message) => {
  expect(() => decisionsFrom(writeCatalogue(text))).toThrow(
    expect.objectContaining({ code: 'input_invalid', message: expect.stringMatching(message) }),
  );
});

test('reports a missing file with the folder it was searched in', () => {
  expect(() => decisionsFrom('nowhere.yaml')).toThrow(`there is no such file in ${process.cwd()}`);
});

async function invokeApproved(): Promise<Awaited<ReturnType<Rig['invoke']>>> {
  const bench = rig({
    tools: {
      look: { produces: ['order'], execute: () => ({ total: 5 }) },
      pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], retries_max: 0, produces: ['done'] },
    },
    plans: [
      planOf(
        [
          { id: 'a', tool: 'look' },
          { id: 'b', tool: 'pay', depends_on: ['a'], requires: ['GATE_FINANCE'] },
        ],
        { decision_checkpoints: [{ decision_id: 'support.refund.execute', after_step: 'a' }] },
      ),
    ],
    options: { decisions: decisionsFrom(writeCatalogue(CATALOGUE)) },
  });
  const { pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const answer = { packetHash, credential: operator('ana'), reason: 'within policy' };
  return await bench.settle(bench.runtime.approve(gateId, answer));
}

test('binds a decision of the file at plan time and records it', async () => {
  const outcome = await invokeApproved();
  expect(outcome.record).toMatchObject({
    decision_id: 'support.refund.execute',
    evidence_refs: ['ev_1', 'ev_2'],
    approvals: [{ gate: 'GATE_FINANCE', approver: 'ana', decision: 'approve' }],
    controls_active: expect.arrayContaining(['approval_gates']),
    trace_id: expect.any(String),
  });
});
