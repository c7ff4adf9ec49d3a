#!/usr/bin/env node
/** The program `ambit`. Nothing is loaded here before it is known that this Node.js can load it. */
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  const needed = `ambit needs Node.js 24.15 or newer, and this is v${process.versions.node}`;
  process.stderr.write(`${needed}: npm install --save-dev node@24 brings one to this folder, which npx takes\n`);
  process.exitCode = 2;
} else {
  module.enableCompileCache();
  const { cli } = await import('./cli.ts');
  // Whoever reads only the first lines has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 7));
  const exit = await cli(process.argv.slice(2), {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
  });
  // What a config has opened (a server, a timer) is not waited for: the command is done.
  process.stdout.write('', () => process.exit(exit));
}
