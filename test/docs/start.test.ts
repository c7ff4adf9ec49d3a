/** Types the command lines of the first pages in order, in an empty folder, as a new user would. */
import { expect, onTestFinished, test } from 'vitest';
import { modelServer } from '../../src/testing/index.ts';
import { answer, plan, step } from './pages/parts.ts';
import { openShell, readPage, type ShellLine, writePrograms } from './run-shell.ts';

/** Each line is a process, possibly on a busy machine. */
const SLOW = 600_000;

/** Each line with its exit code and, in one line, a part of its output. */
const typed = (lines: readonly ShellLine[]): readonly (readonly [string, number, string])[] =>
  lines.map(({ line, exit, stdout, stderr }) => [line, exit, `${stdout} ${stderr}`]);

const row = (line: string, exit: number, output: string) => [line, exit, expect.stringContaining(output)];

test('start here leads from an empty folder to an agent with a model, a gate and a test', {
  timeout: SLOW,
}, async () => {
  const page = readPage('docs/start/start-here.md');
  const turns = [
    plan(step('customer')),
    answer('You are on the Pro plan.', ['ev_1', '/plan']),
    plan(step('credit', { invoice: 'INV-7', amount_cents: 500 })),
    answer('Invoice INV-7 is credited.', ['ev_1', '/invoice'], ['ev_1', '/status']),
  ];
  const server = await modelServer(turns.map((json) => ({ json: json as never })));
  const shell = openShell({ ANTHROPIC_BASE_URL: `${server.url}/v1` });
  onTestFinished(async () => {
    shell.project.remove();
    await server.close();
  });
  const installed = await shell.type(page, 1, 1);
  writePrograms(shell, page, 'billing');
  expect(typed([...installed, ...(await shell.type(page, 2))])).toEqual([
    row('mkdir billing && cd billing', 0, ''),
    row('npm init -y', 0, '"name": "billing"'),
    row('npm pkg set type=module scripts.test="node --test *.test.ts"', 0, ''),
    row('npm test', 0, 'pass 1\n'),
    row('export ANTHROPIC_API_KEY=your-key', 0, ''),
    row('npx ambit run --goal "Which plan am I on?"', 0, 'You are on the Pro plan.'),
    row('npx ambit run --goal "Credit 500 cents to invoice INV-7"', 8, 'next: npx ambit gates show gate_run_'),
    row('npx ambit gates list', 0, 'credit'),
    row('npx ambit gates show gate_run_…_1', 0, 'amount_cents = 500'),
    row(
      'npx ambit gates approve gate_run_…_1 --packet sha256:… --reason "late delivery" --as bo',
      0,
      'Invoice INV-7 is credited.',
    ),
    row('npx ambit replay run_…', 0, 'to the same bytes'),
  ]);
  server.assertDrained();
  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(Array(4).fill('your-key'));
});

test('quick start leads from an empty folder to a replayed run', { timeout: SLOW }, async () => {
  const shell = openShell();
  onTestFinished(() => shell.project.remove());
  expect(typed(await shell.type(readPage('docs/start/quick-start.md')))).toEqual([
    row('npx --yes --package ./ambit/ambit-0.1.0.tgz ambit init refunds --shape approvals', 0, 'npx ambit'),
    row('cd refunds', 0, ''),
    row('npm test', 0, 'pass'),
    row('npx ambit run support --goal "Refund order ord_881"', 8, 'next: npx ambit gates show'),
    row('npx ambit gates list', 0, 'GATE_REFUND'),
    row('npx ambit gates show gate_run_…_1', 0, 'amount_cents = 4200'),
    row(
      'npx ambit gates approve gate_run_…_1 --packet sha256:… --reason "within policy" --as bo --role finance',
      0,
      'Order ord_881 is refunded.',
    ),
    row('npx ambit explain support', 0, 'refund'),
    row('npx ambit trace run_…', 0, 'payments.refund'),
    row('npx ambit replay run_…', 0, 'to the same bytes'),
    row('npx ambit sessions list --status in_progress', 0, 'No sessions.'),
    row('npx ambit sessions resume run_…', 0, 'the session had already ended with SUCCESS'),
  ]);
});

test('the commands of the command-line guide run with its config', { timeout: SLOW }, async () => {
  const page = readPage('docs/how-to/command-line.md');
  const shell = openShell();
  onTestFinished(() => shell.project.remove());
  expect(shell.project.ambit('init', '--shape', 'approvals')).toMatchObject({ exit: 0 });
  writePrograms(shell, page);
  const [run, show, approve, replay, ...script] = typed(await shell.type(page));
  expect([run, show, approve, replay]).toEqual([
    row('npx ambit run support --goal "Refund order ord_881"', 8, 'next: npx ambit gates show'),
    row('npx ambit gates show gate_run_…_1', 0, 'amount_cents = 4200'),
    row(
      'npx ambit gates approve gate_run_…_1 --packet sha256:… --reason "within policy" --as bo --role finance',
      0,
      'Order ord_881 is refunded.',
    ),
    row('npx ambit replay run_…', 0, 'to the same bytes'),
  ]);
  expect(script).toEqual([
    row('ambit run support --goal "Refund order ord_881" --json > run.json', 8, ''),
    [expect.stringMatching(/^case /), 0, expect.stringContaining('ambit gates show gate_run_')],
  ]);
});
