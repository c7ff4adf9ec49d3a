/** Commands that inspect an agent without running it: tools, graph, policy. Also colors and JSON help. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DescribedAgent } from '../../src/records.ts';
import { verifies } from '../requirements/verifies.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

test('tools and graph print text and JSON', { timeout: SLOW }, () => {
  const shown = project.ambit('tools');
  expect(shown.out).toMatch(/^support {2}payments\.refund {2}destructive {2}GATE_REFUND {2}Refund an order/m);
  const [agent] = project.json<{ agent: string; tools: DescribedAgent['tools'] }[]>('tools', 'support');
  expect(agent?.tools.map(({ name }) => name)).toEqual(['orders.lookup', 'payments.refund']);
  expect(project.ambit('tools', 'nobody')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('unknown agent nobody; the config has support'),
  });

  const text = project.ambit('graph').out;
  expect(text).toMatch(/^plan_first version \S+, tier \d\n► goal_intake\n {4}→ classify_intent {2}/);
  expect(text).toMatch(/^■ terminate$/m);
  expect(project.ambit('graph', '--format', 'mermaid').out).toContain('flowchart TD');
  const dot = project.ambit('graph', '--format', 'dot').out;
  expect(dot).toMatch(/^digraph "plan_first" \{\n/);
  expect(dot).toMatch(/"completion_check" -> "finalize" \[label="[^"]+"/);
});

test('help and version print JSON with --json', { timeout: SLOW }, () => {
  expect(project.json('--version')).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(project.json('gates', '--help')).toEqual({ help: expect.stringContaining('approve') });
});

test('colors follow FORCE_COLOR, --no-color and --json', { timeout: SLOW }, () => {
  const env = { FORCE_COLOR: '1' };
  expect(project.ambitWith({ env }, 'tools').out).toContain('\u001b[');
  expect(project.ambitWith({ env }, 'tools', '--no-color').out).not.toContain('\u001b[');
  expect(project.ambitWith({ env }, 'tools', '--json').out).not.toContain('\u001b[');
  expect(project.ambit('tools').out).not.toContain('\u001b[');
});

test('policy check prints each problem with its file and line; policy shadow finds differences', {
  timeout: SLOW,
}, () => {
  expect(project.ambit('policy', 'check')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('customer_support.cedar'),
  });
  project.write(
    'rules/own.cedar',
    '@id("own.one")\npermit (principal, action, resource)\nwhen { context.nothing == 1 };\n',
  );
  const found = project.json<{ ok: boolean; problems: string[] }>('policy', 'check', 'rules');
  expect(found.ok).toBe(false);
  expect(found.problems[0]).toMatch(/^own\.cedar:3 own\.one: .*attribute `nothing`/);
  expect(project.ambit('policy', 'check', 'rules').exit).toBe(1);
  project.write('rules/own.cedar', '@id("own.forbid_all")\nforbid (principal, action, resource);\n');
  expect(project.ambit('policy', 'check', 'rules')).toMatchObject({ exit: 0 });
  project.write(
    'ambit.config.ts',
    project
      .read('ambit.config.ts')
      .replace("from 'ambit';", "from 'ambit';\nimport { cedarAuthorizer, shippedPolicies } from 'ambit/cedar';")
      .replace('    policy: {', '    policy: {\n      calls: cedarAuthorizer(shippedPolicies()),'),
  );
  const { runId } = project.json<{ runId: string }>('run', '--goal', 'Refund it', '--input', 'order_id=ord_881');
  const shadow = project.ambit('policy', 'shadow', runId, '--policies', 'rules', '--json');
  expect(shadow.exit).toBe(1);
  const [first] = shadow.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject({ session: runId, candidate: { effect: 'forbid', determining: ['own.forbid_all'] } });
});

verifies(
  'verify:ask:before-any-run',
  'plan verify prints each problem with its place and starts no run',
  async () => {
    const lookup = { id: 's1', tool: 'orders.lookup', params: { order_id: 'ord_881' } };
    const params = {
      order_id: { $from: 's1', path: '/order_id' },
      amount_cents: { $from: 's1', path: '/total_cents' },
    };
    const refund = { id: 's2', tool: 'payments.refund', params, depends_on: ['s1'], requires: ['GATE_REFUND'] };
    const plan = { plan_id: 'plan_1', intent: 'support.refund', steps: [lookup, refund], decision_checkpoints: [] };
    const write = (name: string, steps: readonly object[]) => project.write(name, JSON.stringify({ ...plan, steps }));
    write('bad.json', [lookup, { ...refund, tool: 'payments.wire' }]);
    write('good.json', [lookup, refund]);
    const before = project.ambit('sessions', 'list', '--json').out;

    const bad = project.ambit('plan', 'verify', 'bad.json');
    expect(bad.exit, bad.err).toBe(1);
    expect(bad.out).toMatch(/^✗ hallucinated_capability {2}\/steps\/1\/tool \(step s2\): .*payments\.wire/m);
    expect(bad.out).toMatch(/^✗ replan: \d+ checks, 1 problem$/m);
    expect(project.json('plan', 'verify', 'bad.json', 'support')).toMatchObject({
      verdict: 'replan',
      problems: [{ code: 'hallucinated_capability', path: '/steps/1/tool', step_id: 's2' }],
      handover: null,
    });
    expect(project.ambit('plan', 'verify', 'good.json')).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^✓ ok: /),
    });
    expect(project.ambit('plan', 'verify', 'none.json')).toMatchObject({ exit: 2 });
    expect(project.ambit('sessions', 'list', '--json').out).toBe(before);
  },
  { timeout: SLOW },
);
