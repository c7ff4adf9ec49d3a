/** Runs the examples of the command reference that need no waiting session. `test/cli` runs the others on real sessions. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openProject } from '../cli/project.ts';
import { splitWords } from '../cli/split-words.ts';
import { blocksIn, ROOT } from './markdown.ts';
import { linkPackages } from './run-page.ts';
import { readPage } from './run-shell.ts';

/** Commands that wait for a person or a signal, and commands on a gate, a sealed value or a session that has not ended. */
const WAITING =
  /^ambit (init|dev|serve|gates [^l]|vault (reveal|erase)|sessions (resume|resume-all|pause|interrupt|cancel|terminate|steer|migrate|answer|decide|extend|watch)\b)/;

const RUN = 'ambit run support --goal "Refund order ord_881" --input order_id=ord_881 --yes --as ana --role finance';

/** The config of the support agent with an option of `world`. */
const configWith = (imports: string, option: string): string => `
import { defineConfig } from 'ambit';
import { support } from './src/support.ts';
${imports}
export default defineConfig({ agents: [support], store: 'sqlite:ambit.db', world: { ${option} } });
`;

/** A config with a tool that a standing grant may cover. */
const REMINDING = `
import { agent, defineConfig, templatePlanner, tool } from 'ambit';
const remind = tool({
  name: 'mail.remind',
  description: 'Sends a reminder',
  approvalMode: 'delegated',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  execute: () => ({}),
});
const steps = [{ id: 's1', tool: 'mail.remind', params: {} }];
const planner = templatePlanner({ remind: { plan_id: 'p', intent: 'remind', steps, decision_checkpoints: [] } });
const settings = { roles: { clerk: 'delegated' } };
const mail = agent({ name: 'mail', planner, tools: [remind], boundary: 'customer_support', budget: 'standard', settings });
export default defineConfig({ agents: [mail], store: 'sqlite:ambit.db' });
`;

/** The commands that need more than the config of the support agent, and their config. */
const CONFIGS: readonly (readonly [commands: RegExp, file: string, text: string])[] = [
  [
    /^ambit keys /,
    'keys.config.ts',
    configWith(
      "import { keyTools } from 'ambit/approvals';",
      "policy: { approvers: { keys: keyTools.inFile('keys.json') } }",
    ),
  ],
  [
    /^ambit vault /,
    'vault.config.ts',
    configWith("import { vaults } from 'ambit/store';", "vault: vaults.inFile('vault.db', { unprotected: true })"),
  ],
  [
    /^ambit policy shadow /,
    'policy.config.ts',
    configWith(
      "import { cedarAuthorizer, policyFiles } from 'ambit/cedar';",
      "policy: { calls: cedarAuthorizer(policyFiles('policies')) }",
    ),
  ],
  [/^ambit grants /, 'grants.config.ts', REMINDING],
];

const wordsOf = (line: string): readonly string[] => {
  const [, config] = CONFIGS.find(([commands]) => commands.test(line)) ?? [];
  return [...splitWords(line), ...(config === undefined ? [] : ['--config', config])];
};

test('the examples of the command reference run', { timeout: 240_000 }, async () => {
  const project = openProject();
  project.addSupportAgent();
  linkPackages(project);
  onTestFinished(() => project.remove());
  const [policy = ''] = blocksIn(readPage('docs/how-to/policies.md'), 'cedar');
  for (const folder of ['policies', 'candidate']) project.write(`${folder}/payments.cedar`, policy);
  const terms = { grant_id: 'grant_reminders', tenant_id: 'shop', tool: 'mail.remind', arguments: {} };
  const limits = { uses_max: 20, microusd_max: 0, reason: 'reminders', expires_at: Date.now() + 86_400_000 };
  project.write('reminders.json', JSON.stringify({ ...terms, ...limits }));
  const step = { id: 's1', tool: 'orders.lookup', params: { order_id: 'ord_881' } };
  const plan = { plan_id: 'plan_1', intent: 'support.refund', steps: [step], decision_checkpoints: [] };
  project.write('refund.json', JSON.stringify(plan));
  for (const [, file, config] of CONFIGS) project.write(file, config);

  const shown = blocksIn(readPage('docs/reference/cli.md'), 'sh').flatMap((block) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.replace(/ {2}#.*/, '')),
  );
  const examples = shown.filter((line) => !WAITING.test(line));
  expect(examples.length).toBeGreaterThan(40);
  // The reference lists `verify` before the command that writes the anchors.
  const [anchored, others] = [/--anchors/, /^(?!.*--anchors)/].map((kind) =>
    examples.filter((line) => kind.test(line)),
  );
  const lines = [RUN, `${RUN} --thread th_7`, ...(others ?? []), ...(anchored ?? [])];
  const args = [join(ROOT, 'test/docs/commands-process.ts'), JSON.stringify(lines.map(wordsOf))];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.folder });
  const results = JSON.parse(stdout) as readonly { readonly exit: number; readonly output: string }[];
  // 1: a check found something; 8: the run waits for a person. Every other code is a fault.
  const failed = results.flatMap(({ exit, output }, at) =>
    [0, 1, 8].includes(exit) ? [] : [[lines[at], exit, output]],
  );
  expect(failed).toEqual([]);
  expect(results).toHaveLength(lines.length);
});
