# Deskside in a container: the same set-up as `make run`.
FROM python:3.11-slim-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends build-essential cmake \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY pyproject.toml constraints.txt ./
COPY scripts/setup.py scripts/
COPY rag rag
COPY ingest ingest
COPY api api
# Not tuned to the computer that builds the image: it may run on another.
ENV CMAKE_ARGS="-DGGML_NATIVE=OFF"
ARG DESKSIDE_TORCH_INDEX=""
RUN python scripts/setup.py && rm -rf /root/.cache && test -x .venv/bin/deskside

FROM python:3.11-slim-bookworm
# libgomp1: llama.cpp's threads. libmagic1: telling file types. The font: pictures of Chinese PDFs that
# bring none. LibreOffice: pages of Word and PowerPoint files, and old kinds; "" leaves it out.
ARG DESKSIDE_LIBREOFFICE="libreoffice-writer libreoffice-impress libreoffice-calc libreoffice-math"
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libgomp1 libmagic1 fonts-wqy-zenhei ${DESKSIDE_LIBREOFFICE} \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home deskside \
    && install -d -o deskside -g deskside /data /models
WORKDIR /app
COPY --from=build /app /app
ENV PATH="/app/.venv/bin:$PATH" \
    PYTHONUNBUFFERED=1 \
    DESKSIDE_DATA=/data \
    DESKSIDE_MODELS_DIR=/models \
    DESKSIDE_HOST=0.0.0.0 \
    DESKSIDE_PORT=8000
USER deskside
VOLUME ["/data", "/models"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15m --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
# Without a generator it still serves; /health/ready says what is missing.
CMD ["sh", "-c", "deskside models pull; exec deskside serve"]
