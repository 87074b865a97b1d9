import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev` starts beside this. */
const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // Signed addresses name the host that the browser used, so the Host header is passed on as it is.
  server: { proxy: { '/api': service, '/auth': service, '/files': service } },
  build: { target: 'es2023', sourcemap: false },
});
