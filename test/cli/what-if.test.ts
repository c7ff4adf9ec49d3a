/** Replay under changed rules, and the state of a session at an event. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rubricFor } from '../../src/critic/judges/judge-specs.ts';
import { STANDARD_GRAPHS } from '../../src/graph.ts';
import type { RunOutcome } from '../../src/index.ts';
import type { StateView, WhatIf } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const BO = ['--as', 'bo', '--role', 'finance'];

let project: Project;
let runId = '';

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  runId = project.json<RunOutcome>(...RUN, '--yes', ...BO).runId;
}, SLOW);
afterAll(() => project.remove());

test('replay --policies finds decisions that change', { timeout: SLOW }, () => {
  project.write('rules/own.cedar', '@id("own.forbid_all")\nforbid (principal, action, resource);\n');
  const other = project.ambit('replay', runId, '--policies', 'rules', '--json');
  expect(other.exit).toBe(1);
  const found = JSON.parse(other.out) as WhatIf;
  expect(found).toMatchObject({ session: runId, recorded: 'SUCCESS' });
  expect(found.decisions).not.toEqual([]);
  expect(found.derived === 'SUCCESS' && found.unknownFrom === null).toBe(false);
  const shown = project.ambit('replay', runId, '--policies', 'rules');
  expect(shown).toMatchObject({ exit: 1, out: expect.stringMatching(/: \d+ decisions would change$/m) });
  expect(shown.out).toMatch(/^ending SUCCESS → /m);
});

test('policy shadow without policies in the config suggests replay', {
  timeout: SLOW,
}, () => {
  project.write('rules/own.cedar', '@id("own.forbid_all")\nforbid (principal, action, resource);\n');
  const refused = project.ambit('policy', 'shadow', '--policies', 'rules', '--json');
  expect(refused).toMatchObject({ exit: 2, out: '' });
  const { error } = JSON.parse(refused.err) as { readonly error: { readonly message: string; readonly fix: string } };
  expect(error.message).toBe('the config has no call policies to compare with');
  expect(error.fix).toBe(`ambit replay ${runId} --policies rules`);
  const [, ...typed] = error.fix.split(' ');
  expect(project.ambit(...typed)).toMatchObject({ exit: 1, err: '' });
});

test('replay --limits without an effect exits 0', { timeout: SLOW }, () => {
  project.write('same.json', '{ "gateTtlMs": 86400000 }');
  expect(project.ambit('replay', runId, '--limits', 'same.json')).toMatchObject({
    exit: 0,
    out: `✓ ${runId}: every decision stays the same\n`,
  });
});

test('replay --rubric finds verdicts that change', { timeout: SLOW }, () => {
  const usual = rubricFor('moderate');
  project.write('usual.json', JSON.stringify(usual));
  project.write('strict.json', JSON.stringify({ ...usual, name: 'strict', floors: { policy: 1, utility: 1 } }));
  expect(project.ambit('replay', runId, '--rubric', 'usual.json')).toMatchObject({ exit: 0 });
  const other = project.ambit('replay', runId, '--rubric', 'strict.json', '--json');
  expect(other.exit).toBe(1);
  const found = JSON.parse(other.out) as WhatIf;
  expect(found).toMatchObject({ recorded: 'SUCCESS', derived: null });
  expect(found.decisions.map(({ about }) => about)).toContainEqual(expect.stringMatching(/^run_escalated /));
});

test('replay --graph takes a standard graph or a file', { timeout: SLOW }, () => {
  const other = project.ambit('replay', runId, '--graph', 'supervised', '--json');
  expect(other.exit).toBe(1);
  expect(JSON.parse(other.out)).toMatchObject({ recorded: 'SUCCESS', derived: null, unknownFrom: { frame: 3 } });
  project.write('supervised.json', JSON.stringify(STANDARD_GRAPHS.supervised));
  const fromFile = project.ambit('replay', runId, '--graph', 'supervised.json', '--json');
  expect(fromFile).toEqual(other);
});

test('replay rejects invalid rules', { timeout: SLOW }, () => {
  project.write('rubric.json', '{ "name": "strict" }');
  project.write('graph.json', '{ "name": "mine" }');
  for (const [flag, value, message] of [
    ['--graph', 'sideways', 'unknown graph sideways: use one of '],
    ['--graph', 'graph.json', 'graph'],
    ['--rubric', 'rubric.json', 'rubric'],
    ['--rubric', 'nowhere.json', '--rubric'],
    ['--policies', 'nowhere', 'nowhere'],
  ] as const) {
    const refused = project.ambit('replay', runId, flag, value);
    expect(refused, `${flag} ${value}`).toMatchObject({ exit: 2, out: '' });
    expect(refused.err).toContain(message);
  }
});

test('sessions show --at shows the state after an event number', { timeout: SLOW }, () => {
  const lines = project.ambit('sessions', 'events', runId).out.trimEnd().split('\n');
  const committed = lines.findIndex((line) => line.endsWith('step_committed'));
  expect(lines[committed]).toMatch(new RegExp(`^ +${committed + 1} `));
  const at = String(committed + 1);
  const state = project.json<StateView>('sessions', 'show', runId, '--at', at);
  expect(state).toMatchObject({ run_id: runId, event: committed + 1, happened: 'step_committed' });
  const shown = project.ambit('sessions', 'show', runId, '--at', at);
  expect(shown).toMatchObject({ exit: 0, out: expect.stringContaining(`after event ${at}, step_committed`) });
  expect(shown.out).toMatch(/✓ look +orders\.lookup/);
  expect(shown.out).not.toMatch(/✓ refund/);
  const beyond = project.ambit('sessions', 'show', runId, '--at', '9999');
  expect(beyond).toMatchObject({ exit: 2, out: '' });
  expect(beyond.err).toContain(`the events 1 to ${lines.length}`);
});
