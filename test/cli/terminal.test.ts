/** Proves what a person at a terminal sees and does: a pseudo-terminal of `script`, with real keys pressed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;

/** `script` of util-linux makes a terminal of a pipe; other systems have another one, or none. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

let project: Project;

beforeAll(() => {
  project = openProject();
  expect(project.ambit('init')).toMatchObject({ exit: 0 });
}, SLOW);
afterAll(() => project.remove());

/** Down to the last of the choices, which is the one with consequences, and enter. */
const APPROVE = `${'\u001b[B'.repeat(3)}\r`;

/** A person who reads until they see something, and then types. */
async function person(
  line: readonly string[],
  typing: readonly (readonly [seen: string, typed: string | (() => void)])[],
): Promise<{ screen: string; exit: number | null }> {
  const command = `stty cols 120 rows 40; ${line.map((word) => `'${word}'`).join(' ')}`;
  const child: ChildProcess = spawn('script', ['-qefc', command, '/dev/null'], { cwd: project.folder, stdio: 'pipe' });
  const ended = once(child, 'exit');
  const rest = [...typing];
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
  test('a run asks what it lacks, draws its plan, shows the packet, and goes on by the word of a person', {
    timeout: SLOW,
  }, async () => {
    const line = [...project.command, 'run', 'support', '--goal', 'Refund it', '--as', 'bo', '--role', 'finance'];
    const { screen, exit } = await person(line, [
      ['order_id?', 'ord_881\r'],
      ['Your decision about exactly this packet?', APPROVE],
      ['Why?', 'within policy\r'],
    ]);
    expect(screen).toContain('amount_cents = 4200  from orders.lookup');
    expect(screen).toMatch(/▲ refund {2}payments\.refund {2}GATE_REFUND/);
    expect(screen).toMatch(/tool calls █+░* 1\/10/);
    expect(screen).toMatch(/completed {2}SUCCESS/);
    expect(screen).toContain('approved by bo');
    expect(exit).toBe(0);
  });

  test.each([
    ['turns away', '\u0003'],
    ['ends their input', '\u0004'],
    ['only presses enter', '\r'],
  ])('a person who %s leaves the run waiting', { timeout: SLOW }, async (_, typed) => {
    const line = [...project.command, 'run', '--goal', 'Refund it', '--input', 'order_id=ord_881', '--as', 'bo'];
    const { screen, exit } = await person(line, [['Your decision about exactly this packet?', typed]]);
    expect(screen).toContain('next: ambit gates show gate_run_');
    expect(exit).toBe(8);
  });

  test('the plan and the step that runs are drawn while the first tool is still at work', {
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
    // The tool goes on when the person has seen it run: if nothing were drawn, neither would ever end.
    const { screen, exit } = await person(line, [
      ['► look    orders.lookup', () => project.write('seen', '')],
      ['Your decision about exactly this packet?', '\r'],
    ]);
    project.write('src/shop.ts', shop);
    expect(screen).toContain('· refund  payments.refund');
    expect(exit).toBe(8);
  });
});

test('dev makes the request again when a file changes', { timeout: SLOW }, async () => {
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
