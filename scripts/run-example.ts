/** `npm run demo` and `npm run example:…`: builds the package and runs an example on it. `--help` needs no build. */
import { spawnSync } from 'node:child_process';

const ROOT = new URL('..', import.meta.url).pathname;
const [example = '', ...args] = process.argv.slice(2);
const inherit = { cwd: ROOT, stdio: 'inherit' } as const;

if (args.includes('--help')) {
  const { HELP } = (await import(`../examples/${example}/src/help.ts`)) as { readonly HELP: string };
  console.log(HELP);
} else {
  const built = spawnSync('npm', ['run', '--silent', 'build'], inherit);
  const { status } = built.status === 0 ? spawnSync(process.execPath, [mainOf(example), ...args], inherit) : built;
  process.exitCode = status ?? 1;
}

function mainOf(name: string): string {
  return `examples/${name}/src/main.ts`;
}
