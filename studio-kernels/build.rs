//! With the feature `bitcode`, compiles the crate's own source to LLVM bitcode, once for each instruction set and
//! architecture, and makes sure that it needs no symbol from anywhere.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(studio_bitcode, values(none(), \"avx512vnni\", \"avx2\", \"i8mm\", \"dotprod\", \"portable\"))"
    );
    #[cfg(feature = "bitcode")]
    bitcode::build();
}

#[cfg(feature = "bitcode")]
mod bitcode {
    use object::{Object, ObjectSection, ObjectSymbol, read::archive::ArchiveFile};
    use std::{
        env, fs,
        path::{Path, PathBuf},
        process::Command,
        thread,
    };

    /// An instruction set on an architecture.
    struct Build {
        set: &'static str,
        arch: &'static str,
        target: &'static str,
        features: &'static str,
    }

    static BUILDS: [Build; 7] = [
        Build {
            set: "avx512vnni",
            arch: "x86_64",
            target: "x86_64-unknown-linux-gnu",
            features: "+avx512f,+avx512bw,+avx512vl,+avx512dq,+avx512vnni,+avx2,+fma,+f16c",
        },
        Build {
            set: "avx2",
            arch: "x86_64",
            target: "x86_64-unknown-linux-gnu",
            features: "+avx2,+fma,+f16c",
        },
        Build { set: "portable", arch: "x86_64", target: "x86_64-unknown-linux-gnu", features: "" },
        Build {
            set: "i8mm",
            arch: "aarch64",
            target: "aarch64-unknown-linux-gnu",
            features: "+i8mm,+dotprod,+lse,-outline-atomics",
        },
        Build {
            set: "dotprod",
            arch: "aarch64",
            target: "aarch64-unknown-linux-gnu",
            features: "+dotprod,+lse,-outline-atomics",
        },
        // Atomics that don't call the functions that choose between instructions at run time.
        Build {
            set: "portable",
            arch: "aarch64",
            target: "aarch64-unknown-linux-gnu",
            features: "-outline-atomics",
        },
        Build { set: "portable", arch: "arm", target: "armv7-unknown-linux-gnueabihf", features: "+neon" },
    ];

    impl Build {
        fn file(&self) -> String {
            format!("{}-{}.bc", self.arch, self.set)
        }
    }

    pub(crate) fn build() {
        println!("cargo::rerun-if-changed=src");
        println!("cargo::rerun-if-changed={COMPILERS}");
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let files: Vec<Option<PathBuf>> = thread::scope(|scope| {
            let out = &out;
            let compile = |build: &'static Build| {
                scope.spawn(move || Some(compile(build, &compiler(build.target)?, out)))
            };
            let compiling: Vec<_> = BUILDS.iter().map(compile).collect();
            compiling.into_iter().map(|one| one.join().expect("the reason was said")).collect()
        });
        let mut table = String::from("static FILES: &[(&str, &str, &[u8])] = &[\n");
        for (build, file) in BUILDS.iter().zip(files) {
            if let Some(file) = file {
                let file = file.canonicalize().expect("the file was just found");
                table += &format!("    ({:?}, {:?}, include_bytes!({file:?})),\n", build.set, build.arch);
            }
        }
        table += "];\n";
        fs::write(out.join("bitcode_files.rs"), table).expect("OUT_DIR can be written to");
    }

    /// A folder in which a file by a target's name may hold the path of a compiler for it.
    const COMPILERS: &str = "compilers";

    /// A compiler that has `core` for `target`: the one in use, or another that was named for it.
    fn compiler(target: &str) -> Option<PathBuf> {
        let in_use = PathBuf::from(env::var_os("RUSTC").expect("cargo sets RUSTC"));
        let named = fs::read_to_string(Path::new(COMPILERS).join(target)).ok();
        let named = named.map(|text| PathBuf::from(text.trim()));
        [Some(in_use), named].into_iter().flatten().find(|rustc| has_core(rustc, target))
    }

    /// Whether a compiler has `core` for `target`.
    fn has_core(rustc: &Path, target: &str) -> bool {
        let printed = Command::new(rustc).args(["--print", "target-libdir", "--target", target]).output();
        let Ok(printed) = printed else { return false };
        let folder = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
        let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
    }

    fn compile(build: &Build, rustc: &Path, out: &Path) -> PathBuf {
        let source = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
        // The compiler puts files of its own where it works, by names that don't tell two of these builds apart.
        let work = out.join(build.file()).with_extension("work");
        fs::create_dir_all(&work).expect("OUT_DIR can be written to");
        let library = work.join("kernels.rlib");
        let status = Command::new(rustc)
            .current_dir(&work)
            .args(["--crate-name=studio_kernels", "--crate-type=lib", "--edition=2024", "--cap-lints=allow"])
            .args(["--target", build.target])
            .args(["--cfg=studio_bitcode", &format!("--cfg=studio_bitcode={:?}", build.set)])
            .arg(format!("--emit=link={}", library.display()))
            .arg(format!("--remap-path-prefix={}=studio-kernels", source.display()))
            // The compiler that links the bitcode optimises it again: loops that are unrolled here, and a third of it that
            // says what doesn't alias, only make it longer.
            .arg("-Cllvm-args=-enable-noalias-to-md-conversion=false")
            .args(["-Copt-level=2", "-Ccodegen-units=1", "-Cpanic=abort", "-Crelocation-model=pic"])
            .args([
                "-Coverflow-checks=no",
                "-Cdebug-assertions=no",
                "-Cforce-unwind-tables=no",
                "-Cembed-bitcode=yes",
            ])
            .arg(format!("-Ctarget-feature={}", build.features))
            .arg(source.join("src/lib.rs"))
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .status()
            .expect("the compiler was started before");
        assert!(status.success(), "compiling the kernels for {} {} failed", build.arch, build.set);
        let bytes = fs::read(&library).expect("the compiler has just written it");
        let file = out.join(build.file());
        fs::write(&file, bitcode(&bytes, build)).expect("OUT_DIR can be written to");
        file
    }

    /// The bitcode that lies beside the machine code in the library's only object. Written by itself it would be twice
    /// as long: the compiler then keeps the names of all values.
    fn bitcode<'l>(library: &'l [u8], build: &Build) -> &'l [u8] {
        let archive = ArchiveFile::parse(library).expect("the compiler writes well-formed libraries");
        let objects: Vec<&[u8]> = archive
            .members()
            .map(|member| member.expect("the compiler writes well-formed libraries"))
            .filter(|member| member.name().ends_with(b".o"))
            .map(|member| member.data(library).expect("the compiler writes well-formed libraries"))
            .collect();
        let [object] = objects[..] else { panic!("one codegen unit makes one object") };
        let object = object::File::parse(object).expect("the compiler writes well-formed objects");
        check(&object, build);
        let section = object.section_by_name(".llvmbc").expect("bitcode was asked for");
        section.data().expect("the section has its data in the file")
    }

    /// A module has nothing but these functions: a symbol that is defined elsewhere can't be linked.
    fn check(object: &object::File<'_>, build: &Build) {
        let undefined: Vec<&str> = object
            .symbols()
            .filter(|symbol| symbol.is_undefined())
            .filter_map(|symbol| symbol.name().ok())
            .filter(|name| !name.is_empty())
            .collect();
        assert!(undefined.is_empty(), "kernels for {} {} need {undefined:?}", build.arch, build.set);
    }
}
