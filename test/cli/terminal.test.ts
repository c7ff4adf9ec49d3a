/** Interactive use: `script` provides a pseudo-terminal, and the tests type real keys. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;

/** The tests need `script` of util-linux; other systems have another one, or none. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

/** Moves to the last choice, Approve, and presses Enter. */
const APPROVE = `${'\u001b[B'.repeat(3)}\r`;

/** Runs a command line in a terminal. Types each text, or calls each function, once its prompt is visible; `typedAhead` before all of them. */
async function interact(
  line: readonly string[],
  steps: readonly (readonly [prompt: string, input: string | (() => void)])[],
  typedAhead = '',
): Promise<{ screen: string; exit: number | null }> {
  const command = `stty cols 120 rows 40; ${line.map((word) => `'${word}'`).join(' ')}`;
  const child: ChildProcess = spawn('script', ['-qefc', command, '/dev/null'], { cwd: project.folder, stdio: 'pipe' });
  const ended = once(child, 'exit');
  const rest = [...steps];
  if (typedAhead !== '') child.stdin?.write(typedAhead);
  let screen = '';
  let read = 0;
  child.stdout?.on('data', (data: Buffer) => {
    screen += stripVTControlCharacters(data.toString());
    const [next] = rest;
    if (next === undefined || !screen.slice(read).includes(next[0])) return;
    read = screen.length;
    rest.shift();
    if (typeof next[1] === 'string') child.stdin?.write(next[1]);
    else next[1]();
  });
  await ended;
  return { screen, exit: child.exitCode };
}

describe.runIf(hasTerminal)('at a terminal', () => {
  test('init asks for the shape', { timeout: SLOW }, async () => {
    const { screen, exit } = await interact(
      [...project.command, 'init', 'asked'],
      [['Which shape does your agent have?', `${'\u001b[B'.repeat(2)}\r`]],
    );
    expect(screen).toContain('next: npx ambit run incident_lead');
    expect(exit).toBe(0);
  });

  test('a run prompts for missing input, draws its plan, shows the packet and continues after approval', {
    timeout: SLOW,
  }, async () => {
    const line = [...project.command, 'run', 'support', '--goal', 'Refund it', '--as', 'bo', '--role', 'finance'];
    const { screen, exit } = await interact(line, [
      ['order_id?', 'ord_881\r'],
      ['Your decision on exactly this packet?', APPROVE],
      ['Reason?', 'within policy\r'],
    ]);
    expect(screen).toContain('amount_cents = 4200  from orders.lookup');
    expect(screen).toMatch(/▲ refund {2}payments\.refund {2}GATE_REFUND/);
    expect(screen).toMatch(/tool calls █+░* 1\/10/);
    expect(screen).toMatch(/completed {2}SUCCESS/);
    expect(screen).toContain('approved by bo');
    expect(exit).toBe(0);
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['Enter alone', '\r'],
  ])('%s at the gate prompt leaves the run waiting', { timeout: SLOW }, async (_, typed) => {
    const line = [...project.command, 'run', '--goal', 'Refund it', '--input', 'order_id=ord_881', '--as', 'bo'];
    const { screen, exit } = await interact(line, [['Your decision on exactly this packet?', typed]]);
    expect(screen).toContain('next: ambit gates show gate_run_');
    expect(exit).toBe(8);
  });

  test.each([
    ['approve', `${APPROVE}within policy\r`],
    ['approve, as lines', `${APPROVE}within policy\r`.replaceAll('\r', '\n')],
    ['reject', `${'\u001b[B'.repeat(2)}\rno\r`],
    ['cancel the prompt', '\u001b'],
    ['approve, many times', `${APPROVE}within policy\r`.repeat(50)],
  ])('keys typed before the gate is drawn decide nothing: %s', { timeout: SLOW }, async (_, keys) => {
    const line = [...project.command, 'run', '--goal', 'Refund it', '--input', 'order_id=ord_881', '--as', 'bo'];
    const { screen, exit } = await interact(
      [...line, '--role', 'finance'],
      [
        ['Your decision on exactly this packet?', APPROVE],
        ['Reason?', 'read it\r'],
      ],
      keys,
    );
    // Only the keys typed at the prompt count: they approve, with their own reason.
    expect(screen).toContain('approved by bo');
    expect(screen).toContain('read it');
    expect(exit).toBe(0);
  });

  test('the plan is drawn while the first tool is running', {
    timeout: SLOW,
  }, async () => {
    const shop = project.read('src/shop.ts');
    project.write(
      'src/shop.ts',
      shop
        .replace(
          'execute: ({ order_id }) => ORDERS[order_id],',
          "execute: async ({ order_id }) => {\n    while (!existsSync('seen')) await new Promise((resolve) => setTimeout(resolve, 20));\n    return ORDERS[order_id];\n  },",
        )
        .replace('import { readFileSync,', 'import { existsSync, readFileSync,'),
    );
    const line = [...project.command, 'run', '--goal', 'Refund it', '--input', 'order_id=ord_881', '--as', 'bo'];
    // The tool waits until the test has seen it running, so the test hangs if nothing is drawn.
    const { screen, exit } = await interact(line, [
      ['► look    orders.lookup', () => project.write('seen', '')],
      ['Your decision on exactly this packet?', '\r'],
    ]);
    project.write('src/shop.ts', shop);
    expect(screen).toContain('· refund  payments.refund');
    expect(exit).toBe(8);
  });
});

test('dev repeats the request when a file changes', { timeout: SLOW }, async () => {
  const [node = '', ...args] = project.command;
  const line = [...args, 'dev', '--goal', 'Refund it', '--input', 'order_id=ord_881', '--json'];
  const child = spawn(node, line, { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const two = new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      lines.push(...data.toString().trimEnd().split('\n'));
      if (lines.length === 1)
        project.write('src/support.ts', project.read('src/support.ts').replace('stepsMax: 10', 'stepsMax: 9'));
      if (lines.length === 2) resolve();
    });
  });
  const ended = once(child, 'exit');
  await two;
  child.kill();
  await ended;
  const [first, second] = lines.map((text) => JSON.parse(text) as { readonly runId: string; readonly status: string });
  expect(first).toMatchObject({ status: 'awaiting_gate' });
  expect(second).toMatchObject({ status: 'awaiting_gate' });
  expect(second?.runId).not.toBe(first?.runId);
});
