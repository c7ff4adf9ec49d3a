import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { RequirementReporter } from './scripts/requirements/reporter.ts';

const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

const config: ViteUserConfig = defineConfig({
  resolve: {
    // Examples import the package by its name; under test that name means the source.
    alias: [
      { find: /^ambit$/, replacement: source('index.ts') },
      { find: /^ambit\/(graph|records|approvals|store)$/, replacement: source('$1.ts') },
      { find: /^ambit\/(cedar|mcp|ai-sdk)$/, replacement: source('adapters/$1/index.ts') },
      { find: /^ambit\/([a-z-]+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new RequirementReporter()],
    // Test files share a worker: loading the source anew for each file took two thirds of the processor time of
    // test/runs/gates. No test replaces a module, and a test puts back whatever it changes outside of its file.
    isolate: false,
    // No test sleeps, so a slow one only means a busy machine; the limit is there to end a test that hangs.
    testTimeout: 60_000,
    // Threads and processes that tests start read TypeScript. Whatever Node.js made of a file once is not made again: that
    // takes half of their start, and in several threads of one process the platform's own stripping of types may crash.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/compiled', import.meta.url)) },
    // A failure points at the line of the test, not at the count of its matchers.
    onStackTrace: (_, { file }) => !/\/requirements\/(count-matchers|verifies)\.ts$/.test(file),
    // Every core works: the default leaves one idle, which on two cores is half of the machine.
    maxWorkers: '100%',
  },
});

export default config;
