// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The cost of one confined command from a node process that lives on: srt's library, and ward.
// Usage: node srt_resident.mjs WARD SETTINGS-JSON; prints {"srt": ms, "ward": ms}, medians.
import { spawn } from 'node:child_process';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';

const [ward, settings] = process.argv.slice(2);
const rounds = 15;

function finish(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`status ${code}`))));
  });
}

async function timed(action) {
  const start = process.hrtime.bigint();
  await action();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

await SandboxManager.initialize(JSON.parse(settings));
const srtTimes = [];
const wardTimes = [];
for (let round = 0; round < rounds; ++round) {
  srtTimes.push(await timed(async () => {
    const command = await SandboxManager.wrapWithSandbox('true');
    await finish(spawn('sh', ['-c', command], { stdio: 'ignore' }));
  }));
  wardTimes.push(await timed(() =>
    finish(spawn(ward, ['run', '--', 'sh', '-c', 'true'], { stdio: 'ignore' }))));
}
await SandboxManager.reset();
console.log(JSON.stringify({ srt: median(srtTimes), ward: median(wardTimes) }));
process.exit(0);
