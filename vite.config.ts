import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev` starts beside this. */
const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The Host header is passed on as it is: signed addresses name it, and a session accepts only its own origin.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/auth', '/manage', '/reference', '/files'].map((path) => [
        path,
        { target: service, changeOrigin: false },
      ]),
    ),
  },
  build: { target: 'es2023', sourcemap: false },
});
