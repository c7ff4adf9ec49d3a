#!/usr/bin/env node
/** The `ambit` program. It imports the rest only after the version check, because old Node.js versions cannot load it. */
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  const message = `ambit needs Node.js 24.15 or newer; this is v${process.versions.node}.`;
  const fix = 'Install a local copy that npx uses: npm install --save-dev node@24';
  process.stderr.write(`${message} ${fix} (without a project: npx --package node@24 --package ambit ambit …)\n`);
  process.exitCode = 2;
} else {
  module.enableCompileCache();
  const { runCli } = await import('./run-cli.ts');
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 7));
  const exit = await runCli(process.argv.slice(2), {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
  });
  // Servers and timers that the config opened must not keep the process alive.
  process.stdout.write('', () => process.exit(exit));
}
